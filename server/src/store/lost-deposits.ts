import { IllegalEvent } from '../trigger-orders/order.js';
import { type Sql, type Tx, toJson } from './sql.js';
import { changeOrders } from './trigger-order-changes.js';
import type { TriggerOrderRow } from './trigger-orders.js';

/** The ends of orders in whose accounts nothing should be. */
export type EmptyEnd = 'deposit_failed' | 'cancelled';

/** An order that has ended so, and how often its accounts have been looked at since. */
export interface EndedOrder {
  wallet: string;
  id: string;
  vault: string;
  inputAccount: string;
  outputAccount: string | null;
  looks: number;
}

/** Where something is in the accounts of such an order. */
export interface FoundOrder {
  id: string;
  /** Of what they hold. An account may be empty. */
  mints: readonly string[];
}

/** How often the accounts of such an order are looked at; before that, one whose deposit was lost is not deleted. */
export const LOST_LOOKS = 3;

/** Those whose next look is due, up to `limit` for each look. `endedBefore`: the first look at those, the second, and the third. */
export async function endedToLookAt(
  sql: Sql,
  end: EmptyEnd,
  endedBefore: readonly Date[],
  limit: number,
): Promise<EndedOrder[]> {
  const { rows } = await sql.query<EndedOrder>(
    `select due.* from unnest($1::timestamptz[]) with ordinality as asked (ended_before, nth) cross join lateral (
       select wallet, id, vault, input_account as "inputAccount", output_account as "outputAccount", lost_looks as looks
       from orders where state = '${end}' and lost_looks < ${LOST_LOOKS} and lost_looks = nth - 1 and updated_at < ended_before
       order by updated_at limit $2
     ) as due`,
    [endedBefore, limit],
  );
  return rows;
}

/** Counts a look that has found nothing; returns of how many, without those that somebody else has counted or holds. */
export async function countLooks(tx: Tx, end: EmptyEnd, orders: readonly EndedOrder[]): Promise<number> {
  const { rowCount } = await tx.query(
    `update orders set lost_looks = lost_looks + 1 where (wallet, id) in (
       select o.wallet, o.id from json_to_recordset($1::json) as r(wallet text, id text, looks int)
         join orders o on o.wallet = r.wallet and o.id = r.id and o.lost_looks = r.looks
       where o.state = $2 order by o.id for update of o skip locked
     )`,
    [toJson(orders), end],
  );
  return rowCount;
}

/**
 * Has orders that had ended, and have something in their accounts, wait for their owners to withdraw it: those were told that it
 * is lost or has come home, so nothing is traded. Returns how many are changed.
 */
export async function reopenFound(tx: Tx, found: readonly FoundOrder[], at: Date): Promise<number> {
  const changes = found.map(({ id }) => ({ id, event: { type: 'deposit_found' } as const }));
  const outcomes = await changeOrders(tx, changes, at);
  let reopened = 0;
  for (const { id, mints } of found) {
    const order = outcomes.get(id);
    if (!order || order instanceof IllegalEvent) continue;
    reopened += 1;
    // When it ends again, that is looked at anew.
    await tx.query('update orders set lost_looks = 0 where wallet = $1 and id = $2', [order.wallet, id]);
    await correctHistory(tx, order, mints);
  }
  return reopened;
}

/** Its deposit has landed; its end, and what was withdrawn then of what is still there, has not. */
async function correctHistory(
  tx: Tx,
  { wallet, id, depositRequestId }: TriggerOrderRow,
  mints: readonly string[],
): Promise<void> {
  await tx.query(
    `update order_events e set state = case when type = 'deposit' then 'success' else 'failed' end
     where wallet = $1 and order_id = $2 and (id = $3 or type = 'cancelled' or (
       type = 'withdrawal' and state = 'success' and mint = any($4) and split_part(id, ' ', 1) in (
         select split_part(id, ' ', 1) from order_events where wallet = $1 and order_id = $2 and type = 'cancelled'
       )
     ))`,
    [wallet, id, depositRequestId, mints],
  );
}
