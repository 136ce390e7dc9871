import { decodeTransaction } from '@slipway/wire';
import { ReservationRefused, WouldFail } from '../../landing/index.js';
import type { Tx } from '../../store/sql.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { lockTriggerOrders, type TriggerOrderRow, type TriggerOrderTimes } from '../../store/trigger-orders.js';
import { IllegalEvent } from '../../trigger-orders/order.js';
import { isCrossed } from '../../trigger-orders/order-triggers.js';
import { backOffMs } from '../back-offs.js';
import { concludeFill } from './conclude-fill.js';
import type { TriggerKeeperDeps } from './deps.js';
import { type PreparedFill, prepareFill } from './prepare-fill.js';
import { remember } from './remember.js';
import { saleOf } from './sale.js';
import { BACK_OFF, FILL_AREA, type FillDetail, type FillPayload } from './settlement.js';
import type { FiredOrder } from './waiting-orders.js';

/** Longer than it takes to prepare a fill. A keeper that died blocks an order for no longer than this. */
const CLAIM_MS = 20_000;

const NOT_OURS = 'this order is not as its owner made it: somebody else has written to the database';

/** `released`: we had claimed it, nothing was sent, and it waits again. */
export type FillOutcome = 'filled' | 'failed' | 'released' | 'not ours';

/** Claims an order that a price has fired, fills it, and records what the fill moved. */
export async function fillOrder(deps: TriggerKeeperDeps, fired: FiredOrder): Promise<FillOutcome> {
  const order = await claim(deps, fired);
  if (!order) return 'not ours';
  if (!(await deps.landing.vouchesForOrder(order))) return release(deps, order, fired, NOT_OURS);
  const prepared = await prepare(deps, order, fired);
  if ('skipped' in prepared) return release(deps, order, fired, prepared.skipped);
  try {
    return await send(deps, order, prepared);
  } catch (error) {
    if (error instanceof WouldFail || error instanceof ReservationRefused)
      return release(deps, order, fired, error.message);
    // It may have been sent: `recover` finds out from the chain.
    throw error;
  }
}

async function claim(
  { store, clock }: TriggerKeeperDeps,
  { id, leg }: FiredOrder,
): Promise<TriggerOrderRow | undefined> {
  const now = clock.now();
  const times = { leaseUntil: new Date(now + CLAIM_MS), retryAt: null };
  const changes = [{ id, event: { type: 'triggered', leg } as const, times }];
  const outcome = (await store.transaction((tx) => changeOrders(tx, changes, new Date(now), { skip: true }))).get(id);
  return outcome instanceof IllegalEvent ? undefined : outcome;
}

async function prepare(
  deps: TriggerKeeperDeps,
  order: TriggerOrderRow,
  fired: FiredOrder,
): Promise<PreparedFill | { skipped: string }> {
  if (!stillFires(order, fired, deps.clock.now())) return { skipped: 'its terms have changed, or its time is over' };
  try {
    return await prepareFill(deps, saleOf(order));
  } catch (error) {
    return { skipped: (error as Error).message };
  }
}

/** Whether the claimed order still fires: its owner may have changed it in the meantime. */
function stillFires(order: TriggerOrderRow, { mint, leg, usd, trailingBps }: FiredOrder, now: number): boolean {
  // What the book has read may be another mint than the one that the seal covers.
  if (order.triggerMint !== mint) return false;
  if (order.expiresAt.getTime() <= now || order.trailingBps !== trailingBps) return false;
  return trailingBps !== null || isCrossed({ ...order, ...order.progress }, leg, usd);
}

async function send(
  deps: TriggerKeeperDeps,
  { id: orderId, wallet, leaseUntil }: TriggerOrderRow,
  prepared: PreparedFill,
): Promise<FillOutcome> {
  const { amount, least, crafted } = prepared;
  const payload: FillPayload = { orderId, amount: amount.toString(), least: least.toString() };
  const request = await remember(deps, { ...prepared, area: FILL_AREA, wallet, payload });
  const detail: FillDetail = { orderId, leaseUntil: leaseUntil!, amount, at: new Date(deps.clock.now()) };
  const row = await deps.landing.execute(request, decodeTransaction(crafted.wire), detail);
  if (row.state !== 'landed') return 'failed';
  // If the node cannot tell yet what it has moved, `Recovery` asks again.
  await concludeFill(deps, { wallet, orderId, requestId: row.id, signature: row.signature!, offered: amount, least });
  return 'filled';
}

/** Releases the claim, so that the order can fire again later. */
async function release(
  { store, clock, log }: TriggerKeeperDeps,
  order: TriggerOrderRow,
  { leg, tries }: FiredOrder,
  reason: string,
): Promise<FillOutcome> {
  const now = clock.now();
  const times = { leaseUntil: null, retryAt: new Date(now + backOffMs(tries + 1, BACK_OFF)) };
  await store.transaction((tx) => releaseClaim(tx, order, times, new Date(now)));
  // Said once, not at each of its tries.
  const level = reason !== NOT_OURS ? 'info' : tries === 0 ? 'error' : 'debug';
  log[level]({ order: order.id, leg, reason }, 'an order has fired, but cannot be filled now');
  return 'released';
}

/** Releases the order if it still has this claim. */
async function releaseClaim(
  tx: Tx,
  { id, leaseUntil }: TriggerOrderRow,
  times: Partial<TriggerOrderTimes>,
  at: Date,
): Promise<void> {
  const [now] = await lockTriggerOrders(tx, [id], { skip: false });
  if (now?.leaseUntil?.getTime() !== leaseUntil?.getTime()) return;
  await changeOrders(tx, [{ id, event: { type: 'released' }, times }], at);
}
