import { decodeTransaction } from '@slipway/wire';
import { ChainUnavailable } from '../../chain/index.js';
import { Outage } from '../../errors/index.js';
import { ReservationRefused, WouldFail } from '../../landing/index.js';
import { backOffMs } from '../../lib/back-offs.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { SignerRefused } from '../../signer/index.js';
import { Stopped } from '../../store/stops.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { isCrossed } from '../../trigger-orders/order-triggers.js';
import { concludeFill } from './conclude-fill.js';
import type { FillDeps } from './deps.js';
import type { Skipped } from './offers.js';
import { type PreparedFill, prepareFill } from './prepare-fill.js';
import { remember } from './remember.js';
import { saleOf } from './sale.js';
import { BACK_OFF, FILL_AREA, type FillDetail, type FillPayload } from './settlement.js';
import type { FiredOrder } from './waiting-orders.js';

const NOT_OURS = 'this order is not as its owner made it: somebody else has written to the database';

/** `released`: we had claimed it, nothing was sent, and it waits again. For no fault of its own: `later`, and `away` where a node does not answer. */
export type FillOutcome = 'filled' | 'failed' | Released | 'not ours';
type Released = 'released' | 'later' | 'away';

/** Longer than a transaction lives: whoever waits for longer waits for a node. */
export const LONGEST_WAIT_MS = 120_000;
/**
 * How many tries in a row count at most for an order, which rests the longer, the more have: what was no fault of its own has it rest
 * for 32 s at most, or 8 s.
 */
export const COUNTED: Readonly<Record<FillOutcome, number>> = {
  released: Number.POSITIVE_INFINITY,
  later: 4,
  away: 2,
  filled: 0,
  failed: 0,
  'not ours': 0,
};
/** A node may know what a transaction has moved only a moment after its status. */
const LONGEST_READ_MS = 2_000;

/** An order whose turn it is, and the price of its trigger mint by now. */
export interface PricedOrder extends FiredOrder {
  usd: number;
}

/**
 * Claims an order that a price has fired, fills it, and records what the fill moved. `isSent` is called once the fill is on its
 * way. Whatever is not known in time becomes known by the ledger, which the landing goes on with, and by `Recovery`.
 */
export async function fillOrder(deps: FillDeps, fired: PricedOrder, isSent: () => void): Promise<FillOutcome> {
  const order = await deps.writes.claim(fired);
  if (!order) return 'not ours';
  if (!(await deps.landing.vouchesForOrder(order))) return release(deps, order, fired, NOT_OURS);
  const prepared = await prepare(deps, order, fired);
  if (prepared instanceof Outage) return release(deps, order, fired, prepared.message, 'away');
  if ('skipped' in prepared) return release(deps, order, fired, prepared.skipped, prepared.isLater && 'later');
  let sent: SentFill;
  try {
    sent = await send(deps, order, prepared);
  } catch (error) {
    // Nodes and the signer are asked before anything is sent.
    const why = whyUnsent(error);
    if (why) return release(deps, order, fired, (error as Error).message, why);
    // It may have been sent: `Recovery` finds out from the chain.
    throw error;
  }
  isSent();
  return follow(deps, order, prepared, sent);
}

async function prepare(
  deps: FillDeps,
  order: TriggerOrderRow,
  fired: PricedOrder,
): Promise<PreparedFill | Skipped | Outage> {
  if (!stillFires(order, fired, deps.clock.now())) return { skipped: 'its terms have changed, or its time is over' };
  try {
    return await prepareFill(deps, saleOf(order));
  } catch (error) {
    return error instanceof Outage ? error : { skipped: (error as Error).message };
  }
}

function whyUnsent(error: unknown): Released | undefined {
  if (error instanceof ChainUnavailable) return 'away';
  if (error instanceof Outage && ['SIGNER_UNAVAILABLE', 'SIGNER_HOLDS'].includes(error.code)) return 'later';
  const kinds = [WouldFail, ReservationRefused, SignerRefused, Stopped];
  return kinds.some((kind) => error instanceof kind) ? 'released' : undefined;
}

/** Whether the claimed order still fires: its owner may have changed it in the meantime. */
function stillFires(order: TriggerOrderRow, { mint, leg, usd, trailingBps }: PricedOrder, now: number): boolean {
  // What the book has read may be another mint than the one that the seal covers.
  if (order.triggerMint !== mint) return false;
  if (order.expiresAt.getTime() <= now || order.trailingBps !== trailingBps) return false;
  return trailingBps !== null || isCrossed({ ...order, ...order.progress }, leg, usd);
}

type SentFill = Awaited<ReturnType<FillDeps['landing']['send']>>;

async function send(deps: FillDeps, order: TriggerOrderRow, prepared: PreparedFill): Promise<SentFill> {
  const { id: orderId, wallet, leaseUntil } = order;
  const { amount, least, held, pools, crafted, isSimulated } = prepared;
  const amounts = { amount: `${amount}`, least: `${least}`, ...(held !== undefined && { held: `${held}` }) };
  const payload: FillPayload = { orderId, ...amounts, pools };
  const request = await remember(deps, { ...prepared, area: FILL_AREA, wallet, payload });
  const detail: FillDetail = { orderId, leaseUntil: leaseUntil!, amount, at: new Date(deps.clock.now()) };
  return deps.landing.send(request, decodeTransaction(crafted.wire), { detail, isSimulated, order });
}

async function follow(
  deps: FillDeps,
  order: TriggerOrderRow,
  { amount: offered, least, held }: PreparedFill,
  { end }: SentFill,
): Promise<FillOutcome> {
  const isKnown = await waitAtMost(
    LONGEST_WAIT_MS,
    end.then(() => {}),
    { ref: false },
  );
  if (!isKnown) throw new Error('no node can tell yet how it has ended');
  const row = await end;
  if (row.state !== 'landed') return 'failed';
  const fill = {
    wallet: order.wallet,
    orderId: order.id,
    requestId: row.id,
    signature: row.signature!,
    offered,
    least,
    held,
  };
  await waitAtMost(
    LONGEST_READ_MS,
    concludeFill(deps, fill, { order }).then(() => {}),
  );
  return 'filled';
}

/** Releases the claim, so that the order can fire again later. */
async function release(
  { writes, clock, log }: FillDeps,
  order: TriggerOrderRow,
  { leg, tries }: FiredOrder,
  reason: string,
  how: Released = 'released',
): Promise<FillOutcome> {
  const rest = backOffMs(Math.min(tries, COUNTED[how]) + 1, BACK_OFF);
  await writes.release({ order, retryAt: new Date(clock.now() + rest) });
  // Said once, not at each of its tries.
  const level = reason !== NOT_OURS ? 'info' : tries === 0 ? 'error' : 'debug';
  log[level]({ order: order.id, leg, reason }, 'an order has fired, but cannot be filled now');
  return how;
}
