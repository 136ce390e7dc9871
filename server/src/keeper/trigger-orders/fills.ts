import { decodeTransaction } from '@slipway/wire';
import { ReservationRefused, WouldFail } from '../../landing/index.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { abandonedClaims, landedFills } from '../../store/trigger-order-fills.js';
import { lockTriggerOrders, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { IllegalEvent, type Leg } from '../../trigger-orders/order.js';
import { concludeFill } from './conclude-fill.js';
import type { TriggerKeeperDeps } from './deps.js';
import { type PreparedFill, prepareFill } from './prepare-fill.js';
import { remember } from './remember.js';
import { backOffMs, FILL_AREA, type FillDetail, type FillPayload } from './settlement.js';

/** Longer than it takes to prepare a fill: a keeper that has died holds an order up for no longer. */
const CLAIM_MS = 20_000;
const BATCH = 500;
const FOREVER = new Date(8.64e15);

export type FillOutcome = 'filled' | 'failed' | 'released' | 'not ours';

/**
 * Claims an order that a price has fired, fills it and writes down what the chain moved. `stillFires` looks at the order
 * as it was claimed: its owner may have changed it. `tries`: how often in a row that has come to nothing before.
 */
export async function fillOrder(
  deps: TriggerKeeperDeps,
  fired: { id: string; leg: Leg; tries: number },
  stillFires: (order: TriggerOrderRow) => boolean,
): Promise<FillOutcome> {
  const { store, clock, log } = deps;
  const order = await claim(deps, fired);
  if (!order) return 'not ours';
  const release = async (reason: string): Promise<FillOutcome> => {
    const now = clock.now();
    const times = { leaseUntil: null, retryAt: new Date(now + backOffMs(fired.tries + 1)) };
    await store.transaction((tx) => releaseClaim(tx, order, times, new Date(now)));
    log.info({ order: order.id, leg: fired.leg, reason }, 'an order that has fired waits');
    return 'released';
  };
  if (!stillFires(order)) return release('its terms have changed, or its time is over');
  let prepared: PreparedFill | { skipped: string };
  try {
    prepared = await prepareFill(deps, order, fired.leg);
  } catch (error) {
    return release((error as Error).message);
  }
  if ('skipped' in prepared) return release(prepared.skipped);
  const { id: orderId, wallet } = order;
  const { amount } = prepared;
  const payload: FillPayload = { orderId, amount: amount.toString() };
  const request = await remember(deps, { ...prepared, area: FILL_AREA, wallet, payload });
  try {
    const detail: FillDetail = { orderId, leaseUntil: order.leaseUntil!, amount, at: new Date(clock.now()) };
    const row = await deps.landing.execute(request, decodeTransaction(prepared.crafted.wire), detail);
    if (row.state !== 'landed') return 'failed';
    await concludeFill(deps, { wallet, orderId, requestId: row.id, signature: row.signature!, offered: amount });
    return 'filled';
  } catch (error) {
    // Anything else may have been sent: the chain tells, and `recover` asks it.
    if (error instanceof WouldFail || error instanceof ReservationRefused) return release(error.message);
    throw error;
  }
}

async function claim(
  { store, clock }: TriggerKeeperDeps,
  { id, leg }: { id: string; leg: Leg },
): Promise<TriggerOrderRow | undefined> {
  const now = clock.now();
  const times = { leaseUntil: new Date(now + CLAIM_MS), retryAt: null };
  const changes = [{ id, event: { type: 'triggered', leg } as const, times }];
  const outcome = (await store.transaction((tx) => changeOrders(tx, changes, new Date(now), { skip: true }))).get(id);
  return outcome instanceof IllegalEvent ? undefined : outcome;
}

/** Where the claim is still this one. */
async function releaseClaim(
  tx: Parameters<typeof lockTriggerOrders>[0],
  { id, leaseUntil }: TriggerOrderRow,
  times: { leaseUntil: null; retryAt: Date | null },
  at: Date,
): Promise<void> {
  const [now] = await lockTriggerOrders(tx, [id], { skip: false });
  if (now?.leaseUntil?.getTime() !== leaseUntil?.getTime()) return;
  await changeOrders(tx, [{ id, event: { type: 'released' }, times }], at);
}

/**
 * Goes on with what a stopped keeper has left: claims of which nothing was sent are given back, and fills that have
 * landed are written down. `alone`: no other keeper is at work, so that every claim is a left one.
 */
export async function recover(deps: TriggerKeeperDeps, { alone }: { alone: boolean }): Promise<void> {
  const { store, clock } = deps;
  const now = new Date(clock.now());
  const left = await abandonedClaims(store, alone ? FOREVER : now, BATCH);
  for (const id of left) {
    await store.transaction(async (tx) => {
      const [order] = await lockTriggerOrders(tx, [id], { skip: true });
      if (!order?.leaseUntil || (!alone && order.leaseUntil > now)) return;
      await changeOrders(tx, [{ id, event: { type: 'released' }, times: { leaseUntil: null } }], now);
    });
  }
  for (const fill of await landedFills(store, BATCH)) {
    // One that cannot be read must not hold up the others.
    await concludeFill(deps, fill).catch((error: Error) =>
      deps.log.warn({ order: fill.orderId, reason: error.message }, 'a fill that has landed is not written down yet'),
    );
  }
}
