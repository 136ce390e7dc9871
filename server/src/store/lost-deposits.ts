import { IllegalEvent } from '../trigger-orders/order.js';
import { type Sql, type Tx, toJson } from './sql.js';
import { changeOrders } from './trigger-order-changes.js';

/** An order whose deposit was called lost, and how often its account has been looked at since. */
export interface LostOrder {
  wallet: string;
  id: string;
  vault: string;
  inputAccount: string;
  looks: number;
}

/** How often the account of a lost deposit is looked at before the order may be deleted. */
export const LOST_LOOKS = 3;

/** Those whose next look is due, up to `limit` for each look. `lostBefore`: the first look at those, the second, and the third. */
export async function lostToLookAt(sql: Sql, lostBefore: readonly Date[], limit: number): Promise<LostOrder[]> {
  const { rows } = await sql.query<LostOrder>(
    `select due.* from unnest($1::timestamptz[]) with ordinality as asked (lost_before, nth) cross join lateral (
       select wallet, id, vault, input_account as "inputAccount", lost_looks as looks from orders
       where state = 'deposit_failed' and lost_looks = nth - 1 and updated_at < lost_before order by updated_at limit $2
     ) as due`,
    [lostBefore, limit],
  );
  return rows;
}

/** Counts a look that has found nothing; returns of how many, without those that somebody else has counted or holds. */
export async function countLooks(tx: Tx, orders: readonly LostOrder[]): Promise<number> {
  const { rowCount } = await tx.query(
    `update orders set lost_looks = lost_looks + 1 where (wallet, id) in (
       select o.wallet, o.id from json_to_recordset($1::json) as r(wallet text, id text, looks int)
         join orders o on o.wallet = r.wallet and o.id = r.id and o.lost_looks = r.looks
       where o.state = 'deposit_failed' order by o.id for update of o skip locked
     )`,
    [toJson(orders)],
  );
  return rowCount;
}

/**
 * Has orders whose deposits were called lost, and are in their accounts, wait for their owners to withdraw them: these were told
 * to deposit again, so nothing is traded. Returns how many are changed.
 */
export async function reopenFound(tx: Tx, ids: readonly string[], at: Date): Promise<number> {
  const changes = ids.map((id) => ({ id, event: { type: 'deposit_found' } as const }));
  const outcomes = await changeOrders(tx, changes, at);
  const found = [...outcomes.values()].flatMap((each) => (each instanceof IllegalEvent ? [] : each));
  for (const { wallet, id, depositRequestId } of found)
    await tx.query(`update order_events set state = 'success' where wallet = $1 and order_id = $2 and id = $3`, [
      wallet,
      id,
      depositRequestId,
    ]);
  return found.length;
}
