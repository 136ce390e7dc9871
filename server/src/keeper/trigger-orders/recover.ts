import { changeOrders } from '../../store/trigger-order-changes.js';
import { abandonedClaims, landedFills } from '../../store/trigger-order-fills.js';
import { lockTriggerOrders } from '../../store/trigger-orders.js';
import { concludeFill } from './conclude-fill.js';
import type { TriggerKeeperDeps } from './deps.js';

const BATCH = 500;
const FOREVER = new Date(8.64e15);

/**
 * Continues what a stopped keeper has left: releases claims for which nothing was sent, and records fills that have
 * landed. `alone`: no other keeper is at work, so every claim is abandoned.
 */
export async function recover(deps: TriggerKeeperDeps, { alone }: { alone: boolean }): Promise<void> {
  const { store, clock, log } = deps;
  const now = new Date(clock.now());
  const abandoned = await abandonedClaims(store, alone ? FOREVER : now, BATCH);
  for (const id of abandoned) {
    await store.transaction(async (tx) => {
      const [order] = await lockTriggerOrders(tx, [id], { skip: true });
      if (!order?.leaseUntil || (!alone && order.leaseUntil > now)) return;
      await changeOrders(tx, [{ id, event: { type: 'released' }, times: { leaseUntil: null } }], now);
    });
  }
  for (const fill of await landedFills(store, BATCH)) {
    // A fill that cannot be read must not hold up the others.
    await concludeFill(deps, fill).catch((error: Error) =>
      log.warn({ order: fill.orderId, reason: error.message }, 'cannot record a landed fill yet; will try again'),
    );
  }
}
