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
  /** The slot after that of its last withdrawal, as far as is known. */
  endSlot: bigint | null;
}

/** Where something is in the accounts of such an order. */
export interface FoundOrder {
  id: string;
  /** Of what they hold. An account may be empty. */
  mints: readonly string[];
}

/** How often the accounts of such an order are looked at; before that, one whose deposit was lost is not deleted. */
export const LOST_LOOKS = 3;

/** The slot after that at which the order `o` has ended: a node that has not reached it may show what has come home since. */
const END_SLOT = `(select max(l.slot) + 1 from order_events e join ledger l on l.id = split_part(e.id, ' ', 1)
  where e.wallet = o.wallet and e.order_id = o.id and e.type in ('withdrawal', 'cancelled'))`;

/**
 * Those whose next look is due, up to `limit` for each look, without the `resting`. `endedBefore`: the first look at those, the
 * second, and the third.
 */
export async function endedToLookAt(
  sql: Sql,
  end: EmptyEnd,
  endedBefore: readonly Date[],
  limit: number,
  resting: readonly string[] = [],
): Promise<EndedOrder[]> {
  const { rows } = await sql.query<EndedOrder>(
    `select due.* from unnest($1::timestamptz[]) with ordinality as asked (ended_before, nth) cross join lateral (
       select o.wallet, o.id, vault, input_account as "inputAccount", output_account as "outputAccount", lost_looks as looks,
         ${END_SLOT} as "endSlot"
       from orders o where state = '${end}' and lost_looks < ${LOST_LOOKS} and lost_looks = nth - 1 and updated_at < ended_before
         and id <> all($3)
       order by updated_at limit $2
     ) as due`,
    [endedBefore, limit, resting],
  );
  return rows;
}

/** The slot after that of the last withdrawal of this order, as far as is known. */
export async function endSlotOf(sql: Sql, { wallet, id }: TriggerOrderRow): Promise<bigint | undefined> {
  const { rows } = await sql.query<{ slot: bigint | null }>(
    `select ${END_SLOT} as slot from orders o where wallet = $1 and id = $2`,
    [wallet, id],
  );
  return rows[0]?.slot ?? undefined;
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

/**
 * Ends an order again in whose accounts something was found, and nothing is left: its withdrawal had landed after all. False for any
 * other order, and while a withdrawal of its wallet is under way, which ends its order itself.
 */
export async function endAgain(tx: Tx, { wallet, id }: TriggerOrderRow, at: Date): Promise<boolean> {
  const { rows } = await tx.query<{ request: string }>(
    `select l.id as request from order_events e join ledger l on l.id = split_part(e.id, ' ', 1)
     where e.wallet = $1 and e.order_id = $2 and e.type = 'cancelled' and e.state = 'failed' and l.state = 'landed'
     order by e.id desc limit 1`,
    [wallet, id],
  );
  if (!rows[0] || (await isWithdrawing(tx, wallet))) return false;
  const outcome = (await changeOrders(tx, [{ id, event: { type: 'withdrawn' } }], at)).get(id);
  if (!outcome || outcome instanceof IllegalEvent) return false;
  await tx.query(
    `update order_events set state = 'success'
     where wallet = $1 and order_id = $2 and split_part(id, ' ', 1) = $3 and type in ('withdrawal', 'cancelled')`,
    [wallet, id, rows[0].request],
  );
  return true;
}

/** Whether something of this wallet that the service signs, too, is under way. */
export async function isWithdrawing(sql: Sql, wallet: string): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 from ledger where wallet = $1 and cosigners <> '{}' and state = 'sending' limit 1`,
    [wallet],
  );
  return rows.length > 0;
}
