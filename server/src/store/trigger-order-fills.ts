import type { Leg } from '../trigger-orders/order.js';
import { isLeaseOver } from './leases.js';
import { anyOf, type Sql, type Tx } from './sql.js';

/** Longer than it takes to prepare a fill, in milliseconds. A keeper that died blocks an order for no longer than this. */
export const CLAIM_LEASE = 20_000;

/** A fill that is in flight, or whose outcome is not recorded in its order yet. */
export interface PendingFill {
  wallet: string;
  orderId: string;
  /** The request's id in the ledger. */
  requestId: string;
  signature: string;
  /** The most that it sells. */
  offered: bigint;
  /** The least that it bought, because the chain refuses less; undefined for fills of earlier versions. */
  least: bigint | undefined;
  /** What the account that it sells from held when it was prepared; undefined for fills of earlier versions. */
  held: bigint | undefined;
}

/** Who has made an order, for whom it takes its turn with others. */
export interface OrderMaker {
  wallet: string;
  /** The key that asked for its deposit; null where none is known. */
  apiKey: string | null;
  /** Where that key stands in pages: the address that asked. */
  caller: string | null;
  /** The leg whose last fill failed or expired. */
  failedLeg: Leg | null;
}

/** Who has made these orders, by id. */
export async function makersOf(sql: Sql, ids: readonly string[]): Promise<Map<string, OrderMaker>> {
  const { rows } = await sql.query<OrderMaker & { id: string }>(
    `select o.id, o.wallet, case when o.failures > 0 then o.fired end as "failedLeg", l.api_key as "apiKey", l.payload ->> 'caller' as caller
     from orders o left join ledger l on l.id = o.deposit_request_id where o.id = ${anyOf('$1')}`,
    [ids],
  );
  return new Map(rows.map(({ id, ...maker }) => [id, maker]));
}

/** Orders whose claim was abandoned, and its lease; with `all`, any that are claimed. */
export async function abandonedClaims(
  sql: Sql,
  { all }: { all: boolean },
  limit: number,
): Promise<{ id: string; leaseUntil: Date }[]> {
  const { rows } = await sql.query<{ id: string; leaseUntil: Date }>(
    `select id, lease_until as "leaseUntil" from orders
     where state = 'ready_execute' and lease_until is not null and ($1 or ${isLeaseOver('lease_until', CLAIM_LEASE)})
     order by id limit $2`,
    [all, limit],
  );
  return rows;
}

/** Landed fills that are not recorded in their orders yet, of the orders after this one, in their order. */
export async function landedFills(sql: Sql, after: string, limit: number): Promise<PendingFill[]> {
  type Amounts = { offered: string; least: string | null; held: string | null };
  const { rows } = await sql.query<Omit<PendingFill, keyof Amounts> & Amounts>(
    `select e.wallet, e.order_id as "orderId", e.id as "requestId", l.signature, e.amount as offered,
            l.payload->>'least' as least, l.payload->>'held' as held
     from orders o
     join order_events e on e.wallet = o.wallet and e.order_id = o.id and e.type = 'fill' and e.state = 'pending'
     join ledger l on l.id = e.id and l.state = 'landed'
     where o.state = 'executing' and o.id > $1 order by o.id limit $2`,
    [after, limit],
  );
  const amountOf = (digits: string | null) => (digits === null ? undefined : BigInt(digits));
  return rows.map(({ offered, least, held, ...row }) => ({
    ...row,
    offered: BigInt(offered),
    least: amountOf(least),
    held: amountOf(held),
  }));
}

/** The requests of the fills whose outcome is not recorded yet. Their orders must be locked by this transaction. */
export async function pendingAmong(tx: Tx, fills: readonly PendingFill[]): Promise<Set<string>> {
  const keys = fills.map(({ wallet, orderId, requestId }) => ({ wallet, order_id: orderId, id: requestId }));
  const { rows } = await tx.query<{ id: string }>(
    `select id from json_to_recordset($1::json) as f(wallet text, order_id text, id text)
     join order_events e using (wallet, order_id, id) where e.state = 'pending'`,
    [JSON.stringify(keys)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Stores the best prices that trailing orders have seen, so that they survive a restart. A mark never moves back. */
export async function saveMarks(tx: Tx, marks: readonly { id: string; mark: number }[]): Promise<void> {
  // Also of those that may wait again later.
  await tx.query(
    `update orders o set
       high_watermark = case when trigger_condition = 'below' then greatest(high_watermark, m.mark) end,
       low_watermark = case when trigger_condition = 'above' then least(low_watermark, m.mark) end
     from json_to_recordset($1::json) as m(id text, mark double precision)
     where o.id = m.id and o.trailing_bps is not null
       and o.state in ('open', 'partial_fill_success', 'ready_execute', 'executing', 'execute_failed', 'ready_expire')`,
    [JSON.stringify(marks)],
  );
}
