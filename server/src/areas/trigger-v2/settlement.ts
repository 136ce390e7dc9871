import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Claimed, Settlement } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';
import { changeOrders, type OrderChange } from '../../store/trigger-order-changes.js';
import {
  keepNewestFailed,
  type TriggerOrderEventRow,
  writeTriggerOrderEvents,
} from '../../store/trigger-order-events.js';
import { wholeHasLandedAfter, withdrawnMints } from '../../store/trigger-order-withdrawals.js';
import {
  findByDeposit,
  insertTriggerOrder,
  lockTriggerOrders,
  type TriggerOrderRow,
} from '../../store/trigger-orders.js';
import { readWithdrawal } from './deps.js';

/** Stores an order in the step that claims its deposit, and opens it in the step that records the landing. */
export const depositSettlement: Settlement = {
  keys: ['vault', 'tracker'],

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    const events: TriggerOrderEventRow[] = [];
    for (const { id, detail } of claimed) {
      const order = await insertTriggerOrder(tx, detail as TriggerOrderRow);
      if (order) events.push(depositEvent(order, 'pending', order.createdAt, null));
      else refused.set(id, 'the deposit has an order already');
    }
    await writeTriggerOrderEvents(tx, events);
    return refused;
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    for (const { id, wallet, state, signature, settledAt } of settled) {
      const order = await findByDeposit(tx, wallet, id);
      if (!order || !settledAt) continue;
      const landed = state === 'landed';
      const change: OrderChange = {
        id: order.id,
        event: { type: landed ? 'deposit_landed' : 'deposit_lost' },
        history: () => [depositEvent(order, landed ? 'success' : 'failed', settledAt, signature)],
      };
      await changeOrders(tx, [change], settledAt);
    }
  },
};

/** A withdrawal is sent only while its order waits for it, and ends the order when all that it holds has come home. */
export const withdrawalSettlement: Settlement = {
  keys: ['vault', 'tracker'],

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    const orderIds = claimed.map(({ detail }) => detail as string);
    const waiting = (await lockTriggerOrders(tx, orderIds, { skip: false })).filter(
      ({ progress }) => progress.state === 'ready_to_cancel',
    );
    const ids = new Set(waiting.map(({ id }) => id));
    for (const { id, detail } of claimed) {
      if (!ids.has(detail as string)) refused.set(id, 'the order is not in cancellation state');
    }
    return refused;
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    for (const row of settled) {
      const { state, settledAt } = row;
      if (!settledAt || state === 'expired') continue;
      const [order] = await lockTriggerOrders(tx, [readWithdrawal(row).orderId], { skip: false });
      if (!order) continue;
      const isEnd = state === 'landed' && (await bringsAllHome(tx, order, row));
      const history = () => withdrawalEvents(order, row, { at: settledAt, isEnd });
      const change: OrderChange = { id: order.id, event: { type: 'withdrawn' }, history };
      if (isEnd) await changeOrders(tx, [change], settledAt, { locked: [order] });
      // After a part, the order waits for the withdrawal of the rest.
      else {
        await writeTriggerOrderEvents(tx, history());
        if (state === 'failed') await keepNewestFailed(tx, order.wallet, order.id);
      }
    }
  },
};

/**
 * Whether nothing of the order is left in the vault: a node may have hidden one of its accounts when the withdrawal was crafted. What
 * is missing in this one must have come home with one before. A part may be recorded after the one that brought the rest: nothing
 * is left then that could be withdrawn.
 */
async function bringsAllHome(tx: Tx, order: TriggerOrderRow, row: LedgerRow): Promise<boolean> {
  const { isPart, withdrawn } = readWithdrawal(row);
  if (isPart && !(await wholeHasLandedAfter(tx, order, row.id))) return false;
  const here: string[] = withdrawn.map(({ mint }) => mint);
  const missing = heldMints(order).filter((mint) => !here.includes(mint));
  if (missing.length === 0) return true;
  const before = await withdrawnMints(tx, order);
  return missing.every((mint) => before.includes(mint));
}

/** The mints that the order holds something of, by its own account. */
function heldMints({ progress, inputMint, outputMint }: TriggerOrderRow): string[] {
  const { stage, entry, exit, held } = progress;
  // An entry that sells SOL closes its account, and pays what is left of it to the wallet.
  const isPaidOut = stage === 'exit' && inputMint === WRAPPED_SOL_MINT;
  const isInput = entry.remaining > 0n && !isPaidOut;
  const isOutput = (exit?.remaining ?? held) > 0n;
  return [...(isInput ? [inputMint] : []), ...(isOutput ? [outputMint] : [])];
}

const NOTHING = { mint: null, amount: null, outputMint: null, outputAmount: null, context: null } as const;

function depositEvent(
  order: TriggerOrderRow,
  state: TriggerOrderEventRow['state'],
  at: Date,
  signature: string | null,
): TriggerOrderEventRow {
  const { wallet, id: orderId, depositRequestId: id, inputMint: mint, progress } = order;
  return {
    ...NOTHING,
    wallet,
    orderId,
    id,
    type: 'deposit',
    state,
    at,
    signature,
    mint,
    amount: progress.entry.initial,
  };
}

function withdrawalEvents(
  { wallet, id: orderId }: TriggerOrderRow,
  row: LedgerRow,
  { at, isEnd }: { at: Date; isEnd: boolean },
): TriggerOrderEventRow[] {
  const { withdrawn } = readWithdrawal(row);
  const landed = row.state === 'landed';
  const common = { ...NOTHING, wallet, orderId, at };
  const events = withdrawn.map(
    ({ mint, amount }, index): TriggerOrderEventRow => ({
      ...common,
      id: `${row.id} withdrawal ${index}`,
      type: 'withdrawal',
      state: landed ? 'success' : 'failed',
      signature: row.signature,
      mint,
      amount: BigInt(amount),
    }),
  );
  if (!isEnd) return events;
  return [...events, { ...common, id: `${row.id} cancelled`, type: 'cancelled', state: 'success', signature: null }];
}
