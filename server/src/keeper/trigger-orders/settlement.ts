import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import {
  addressText,
  type Claimed,
  digits,
  explain,
  failedProgram,
  payloadReader,
  type Settlement,
  TRIGGER_ORDER_PURSE,
} from '../../landing/index.js';
import { backOffMs } from '../../lib/back-offs.js';
import { blame } from '../../store/blamed-claims.js';
import { failedFills } from '../../store/failed-fills.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';
import { changeOrders, type OrderChange } from '../../store/trigger-order-changes.js';
import type { TriggerOrderEventRow } from '../../store/trigger-order-events.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { IllegalEvent } from '../../trigger-orders/order.js';
import { type Sale, saleOf } from './sale.js';

/** The ledger area of fills. */
export const FILL_AREA = 'trigger-fill';

/** What a fill's request passes to its claim. */
export interface FillDetail {
  orderId: string;
  /** The lease of the keeper's claim of the order. If the stored one differs, another keeper has the order. */
  leaseUntil: Date;
  /** What it sells. */
  amount: bigint;
  at: Date;
}

/**
 * Stored with a fill's request. `amount`: what it sells; `least`: what it buys at least; `held`: what its account held when it was
 * prepared; in the smallest unit. `pools`: its route.
 */
const FillPayload = Type.Object({
  orderId: Type.String(),
  amount: digits,
  least: Type.Optional(digits),
  held: Type.Optional(digits),
  pools: Type.Optional(Type.Array(addressText)),
});
export type FillPayload = Static<typeof FillPayload>;
export const readFillPayload = payloadReader(FillPayload);

/** "NonNativeHasBalance" of the token programs. */
const NOT_EMPTY = 11;
/** Delays between attempts that filled nothing. */
export const BACK_OFF = { firstMs: 2_000, longestMs: 5 * 60_000 };
/** So many in a row, of those that were paid for because they failed on the chain, have these delays, and longer ones from then on. */
const MANY_FAILURES = 10;
const LONG_BACK_OFF = { firstMs: 10 * 60_000, longestMs: 60 * 60_000 };

/** Of an order of which so many fills in a row have failed. */
export const longestRestMs = (failures: number): number =>
  failures > MANY_FAILURES ? LONG_BACK_OFF.longestMs : BACK_OFF.longestMs;

/**
 * Only the keeper that holds the order sends a fill, and its signature is stored in the same step. A lost fill is
 * retried for as long as the order lives: others can have it fail. What that costs is bounded by the purse.
 */
export const fillSettlement: Settlement = {
  isOurs: true,
  keys: ['keeper', 'vault'],
  purse: TRIGGER_ORDER_PURSE,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const sent = new Map<string, { request: string; change: OrderChange }>();
    for (const { id, detail } of claimed) {
      const { orderId, leaseUntil, amount, at } = detail as FillDetail;
      const change: OrderChange = {
        id: orderId,
        event: { type: 'sent' },
        when: ({ progress, ...order }) =>
          progress.state === 'ready_execute' && !progress.cancelAsked && isSameTime(order.leaseUntil, leaseUntil),
        times: { triggeredAt: at, leaseUntil: null },
        history: (after) => [fillEvent(saleOf(after), { id, state: 'pending', amount, at })],
      };
      // Of two for one order, the second finds it sent.
      if (!sent.has(orderId)) sent.set(orderId, { request: id, change });
    }
    const changes = [...sent.values()].map(({ change }) => change);
    const outcomes = await changeOrders(tx, changes, latest(claimed));
    const isSent = ({ id, detail }: Claimed) => {
      const { orderId } = detail as FillDetail;
      const outcome = outcomes.get(orderId);
      return sent.get(orderId)?.request === id && outcome !== undefined && !(outcome instanceof IllegalEvent);
    };
    const refused = claimed.filter((each) => !isSent(each));
    return new Map(
      refused.map(({ id }) => [id, 'another keeper has the order, or nobody, or its owner has cancelled it']),
    );
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const ofOthers = settled.filter(couldNotClose).map(({ id }) => id);
    await blame(tx, ofOthers, 'orderId');
    for (const row of settled) {
      const { state, settledAt, signature } = row;
      // A landed fill is recorded later, with the amounts that it moved: these must be read from the chain.
      if (state === 'landed' || !settledAt) continue;
      const { orderId, amount } = readFillPayload(row);
      const fill = { id: row.id, orderId, amount: BigInt(amount), signature, at: settledAt };
      await loseFill(tx, { ...fill, isPaid: state === 'failed' });
    }
  },
};

/** Has an order whose fill has moved nothing wait for its next try. `isPaid`: the fill is on the chain, as failed. */
export async function loseFill(
  tx: Tx,
  lost: { id: string; orderId: string; amount: bigint; signature: string | null; at: Date; isPaid: boolean },
): Promise<void> {
  const { id, orderId, amount, signature, at, isPaid } = lost;
  const fill = { id, state: 'failed', amount, at } as const;
  const history = (order: TriggerOrderRow) => [{ ...fillEvent(saleOf(order), fill), signature }];
  const order = (await changeOrders(tx, [{ id: orderId, event: { type: 'fill_lost' }, history }], at)).get(orderId);
  if (!order || order instanceof IllegalEvent) return;
  const { failures } = order.progress;
  const paid = isPaid ? (await failedFills(tx, saleOf(order))).length : 0;
  const rest = paid > MANY_FAILURES ? backOffMs(paid - MANY_FAILURES, LONG_BACK_OFF) : backOffMs(failures, BACK_OFF);
  const retryAt = new Date(at.getTime() + rest);
  await changeOrders(tx, [{ id: orderId, event: { type: 'retried' }, times: { retryAt } }], at);
}

/**
 * Whether a fill has failed because the account that it was to close was not empty: anybody sends something there before it lands,
 * to twenty orders of a wallet with one transaction. That must not keep the wallet's orders from being filled.
 */
function couldNotClose({ state, error, wire }: LedgerRow): boolean {
  if (state !== 'failed' || wire === null || explain(error).code !== NOT_EMPTY) return false;
  const program = failedProgram(error, wire);
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** When the last of them was prepared. */
function latest(claimed: readonly Claimed[]): Date {
  return new Date(Math.max(...claimed.map(({ detail }) => (detail as FillDetail).at.getTime())));
}

/** Whether a claim's lease is the one that an order has. */
export const isSameTime = (one: Date | null, other: Date | null) => one?.getTime() === other?.getTime();

/** A fill as the order's owner sees it; `id` is the request's. */
export function fillEvent(
  { orderId, wallet, inputMint, outputMint, context }: Sale,
  fill: Pick<TriggerOrderEventRow, 'id' | 'state' | 'amount' | 'at'>,
): TriggerOrderEventRow {
  return {
    ...fill,
    wallet,
    orderId,
    type: 'fill',
    signature: null,
    mint: inputMint,
    outputMint,
    outputAmount: null,
    context,
  };
}
