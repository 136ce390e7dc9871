import type { Tx } from './sql.js';
import { fromStored, type StoredOrder, type TriggerOrderRow } from './trigger-order-row.js';

/** Remembers that the orders' accounts in their vaults must still be closed once the orders are filled. */
export async function oweRents(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query('update orders set rent_due = true where id = any($1)', [ids]);
}

/**
 * Claims filled orders that have an account to close and that nobody has claimed at `now`: first those that were never
 * tried, then those that have waited longest. The claims last until `until`.
 */
export async function claimRentsDue(tx: Tx, now: Date, until: Date, limit: number): Promise<TriggerOrderRow[]> {
  const { rows } = await tx.query<StoredOrder>(
    `update orders set lease_until = $2 where id in (
       select id from orders where rent_due and state = 'fill_success' and (lease_until is null or lease_until <= $1)
       order by lease_until nulls first, id limit $3 for update skip locked)
     returning *`,
    [now, until, limit],
  );
  return rows.map(fromStored);
}

/** Records that the order's accounts are closed, or that no keeper will close them. */
export async function settleRent(tx: Tx, id: string): Promise<void> {
  await tx.query('update orders set rent_due = false, lease_until = null where id = $1', [id]);
}
