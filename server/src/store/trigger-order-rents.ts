import { isLeaseOver } from './leases.js';
import type { Tx } from './sql.js';
import { fromStored, type StoredOrder, type TriggerOrderRow } from './trigger-order-row.js';

/** Remembers that the orders' accounts in their vaults must still be closed once the orders are filled. */
export async function oweRents(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query('update orders set rent_due = true where id = any($1)', [ids]);
}

const HOUR = 3_600_000;

interface RentClaim {
  now: Date;
  /** No claim of an order that was filled just now is longer or shorter. */
  leaseMs: number;
  /** Takes what others have claimed, too. */
  isAlone: boolean;
}

/**
 * Claims filled orders that have an account to close and that nobody has claimed: first those that were never tried, then
 * those that have waited longest. The longer ago an order was filled, the longer lasts its claim, an hour at most: some
 * accounts can never be closed.
 */
export async function claimRentsDue(
  tx: Tx,
  { now, leaseMs, isAlone }: RentClaim,
  limit: number,
): Promise<TriggerOrderRow[]> {
  const { rows } = await tx.query<StoredOrder>(
    `update orders set lease_until = date_trunc('milliseconds', statement_timestamp() +
       greatest(make_interval(secs => $2), least(($1::timestamptz - updated_at) / 4, interval '1 hour')))
     where id in (
       select id from orders where rent_due and state = 'fill_success'
         and ($3 or lease_until is null or ${isLeaseOver('lease_until', HOUR)})
       order by lease_until nulls first, id limit $4 for update skip locked)
     returning *`,
    [now, leaseMs / 1_000, isAlone, limit],
  );
  return rows.map(fromStored);
}

/** Records that the order's accounts are closed. */
export async function settleRent(tx: Tx, id: string): Promise<void> {
  await tx.query('update orders set rent_due = false, lease_until = null where id = $1', [id]);
}
