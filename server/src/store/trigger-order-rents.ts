import type { Tx } from './sql.js';
import { fromStored, type StoredOrder, type TriggerOrderRow } from './trigger-order-row.js';

/** Remembers that an account of the order in the vault is still to be closed once the order is filled. */
export async function oweRent(tx: Tx, id: string): Promise<void> {
  await tx.query('update orders set rent_due = true where id = $1', [id]);
}

/** Claims filled orders with an account to be closed until `until`: those that nobody has claimed at `now`. */
export async function claimRentsDue(tx: Tx, now: Date, until: Date, limit: number): Promise<TriggerOrderRow[]> {
  const { rows } = await tx.query<StoredOrder>(
    `update orders set lease_until = $2 where id in (
       select id from orders where rent_due and state = 'fill_success' and (lease_until is null or lease_until <= $1)
       order by id limit $3 for update skip locked)
     returning *`,
    [now, until, limit],
  );
  return rows.map(fromStored);
}

/** The accounts of the order are closed, or will not be closed by a keeper. */
export async function settleRent(tx: Tx, id: string): Promise<void> {
  await tx.query('update orders set rent_due = false, lease_until = null where id = $1', [id]);
}
