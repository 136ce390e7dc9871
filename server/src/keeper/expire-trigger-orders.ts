import type { Store } from '../store/sql.js';
import { changeOrders } from '../store/trigger-order-changes.js';
import type { TriggerOrderEventRow } from '../store/trigger-order-events.js';
import { overdueTriggerOrders, type TriggerOrderRow } from '../store/trigger-orders.js';

const BATCH = 500;

/** Expires the orders whose expiry is `due`; their funds stay in the vault until the owner withdraws them. */
export async function expireTriggerOrders(store: Store, now: Date, due: Date = now): Promise<void> {
  for (;;) {
    const ids = await overdueTriggerOrders(store, due, BATCH);
    if (ids.length === 0) return;
    const expired = await store.transaction(async (tx) => {
      // Its owner may have given it more time since they were listed.
      const when = ({ expiresAt }: TriggerOrderRow) => expiresAt <= due;
      const claims = ids.map((id) => ({ id, event: { type: 'expiry_due' } as const, when }));
      const claimed = await changeOrders(tx, claims, now, { skip: true });
      const ends = [...claimed.keys()].map((id) => ({
        id,
        event: { type: 'expired' } as const,
        history: expiredEvent,
      }));
      return (await changeOrders(tx, ends, now)).size;
    });
    // The others are locked by another instance or request.
    if (expired < ids.length || ids.length < BATCH) return;
  }
}

function expiredEvent({ wallet, id, updatedAt: at }: TriggerOrderRow): TriggerOrderEventRow[] {
  const nothing = { signature: null, mint: null, amount: null, outputMint: null, outputAmount: null, context: null };
  return [{ wallet, orderId: id, id: `expired ${at.getTime()}`, type: 'expired', state: 'success', at, ...nothing }];
}
