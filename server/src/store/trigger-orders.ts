import { anyOf, type Sql, type Tx } from './sql.js';
import { encodeEvents, type TriggerOrderEventRow, writeEvents } from './trigger-order-events.js';
import {
  columnsOf,
  fromStored,
  type SealedTerms,
  type StoredOrder,
  type TriggerOrderRow,
} from './trigger-order-row.js';

export type {
  TriggerOrderFacts,
  TriggerOrderRow,
  TriggerOrderTerms,
  TriggerOrderTimes,
} from './trigger-order-row.js';

/** The channel that notifies keepers of changed orders, by id. */
export const TRIGGER_ORDERS_CHANNEL = 'orders';
/** A notification holds at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100;

/** Stores a new order. Undefined if the wallet's deposit already has one, which `findByDeposit` returns. */
export async function insertTriggerOrder(tx: Tx, order: TriggerOrderRow): Promise<TriggerOrderRow | undefined> {
  const columns = [...columnsOf.facts(order), ...columnsOf.terms(order), ...columnsOf.progress(order)];
  const { rows } = await tx.query<StoredOrder>(
    `insert into orders (${columns.map(([name]) => name).join(', ')})
     values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict (wallet, deposit_request_id) do nothing returning *`,
    columns.map(([, , value]) => value),
  );
  return rows[0] && fromStored(rows[0]);
}

/** An order of any wallet. */
export async function findTriggerOrder(sql: Sql, id: string): Promise<TriggerOrderRow | undefined> {
  const { rows } = await sql.query<StoredOrder>('select * from orders where id = $1', [id]);
  return rows[0] && fromStored(rows[0]);
}

/** The order that a deposit of the wallet pays for. */
export async function findByDeposit(sql: Sql, wallet: string, requestId: string): Promise<TriggerOrderRow | undefined> {
  const { rows } = await sql.query<StoredOrder>('select * from orders where wallet = $1 and deposit_request_id = $2', [
    wallet,
    requestId,
  ]);
  return rows[0] && fromStored(rows[0]);
}

/**
 * Locks orders until the transaction ends, in sorted order, so that two groups cannot deadlock. With `skip`, orders
 * that another transaction has locked are left out instead of waited for.
 */
export async function lockTriggerOrders(
  tx: Tx,
  ids: readonly string[],
  options: { skip: boolean },
): Promise<TriggerOrderRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<StoredOrder>(
    `select * from orders where id = ${anyOf('$1')} order by id for update ${options.skip ? 'skip locked' : ''}`,
    [ids],
  );
  return rows.map(fromStored);
}

/**
 * Stores the new states of orders that this transaction has locked, with what their owners see of it in the history, and
 * notifies the keepers. One statement, as many orders are changed while others wait for their locks.
 */
export async function saveTriggerOrders(
  tx: Tx,
  orders: readonly TriggerOrderRow[],
  history: readonly TriggerOrderEventRow[] = [],
): Promise<void> {
  const [first] = orders;
  if (!first) return;
  const types = [...(['wallet', 'id'] as const).map((name) => [name, 'text']), ...columnsOf.progress(first)];
  const names = columnsOf.progress(first).map(([name]) => name);
  const rows = orders.map((order) => ({
    wallet: order.wallet,
    id: order.id,
    ...Object.fromEntries(columnsOf.progress(order).map(([name, , value]) => [name, value])),
  }));
  const ids = orders.map(({ id }) => id);
  await tx.query(
    `with saved as (
       update orders o set ${names.map((name) => `${name} = r.${name}`).join(', ')}
       from json_to_recordset($1::json) as r(${types.map(([name, type]) => `${name} ${type}`).join(', ')})
       where o.id = ${anyOf('$2')} and o.wallet = r.wallet and o.id = r.id
     ), written as (${writeEvents('$3')})
     select pg_notify('${TRIGGER_ORDERS_CHANNEL}', ids) from unnest($4::text[]) as ids`,
    [JSON.stringify(rows), ids, encodeEvents(history), announced(ids)],
  );
}

/** Changes the terms of an open order, which no longer rests then. Undefined if it is not open, or not the wallet's. */
export async function editTriggerOrder(
  tx: Tx,
  key: { wallet: string; id: string },
  terms: SealedTerms,
  at: Date,
): Promise<TriggerOrderRow | undefined> {
  const columns = columnsOf.terms(terms);
  const { rows } = await tx.query<StoredOrder>(
    `update orders set ${columns.map(([name], index) => `${name} = $${index + 4}`).join(', ')}, updated_at = $3,
       retry_at = null
     where wallet = $1 and id = $2 and state = 'open' returning *`,
    [key.wallet, key.id, at, ...columns.map(([, , value]) => value)],
  );
  if (rows[0]) await announce(tx, [key.id]);
  return rows[0] && fromStored(rows[0]);
}

interface OrderPage {
  wallet: string;
  /**
   * States to list besides `expired`. Expired orders are listed all, or only those with or without funds in the vault.
   */
  states: readonly string[];
  expired: 'all' | 'funded' | 'empty';
  /** The input or output mint. */
  mint?: string | undefined;
  sort: 'updated_at' | 'created_at' | 'expires_at';
  dir: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/**
 * A page of a wallet's orders, and their total number. Of all of them only ids and times are sorted and counted: a wallet has as
 * many as it likes, and whole ones take the database four times as long.
 */
export async function listTriggerOrders(
  sql: Sql,
  page: OrderPage,
): Promise<{ orders: TriggerOrderRow[]; total: number }> {
  const { rows } = await sql.query<StoredOrder & { total: bigint }>(
    `with found as materialized (
       select id as found_id, ${page.sort} as found_at from orders
       where wallet = $1 and ($2::text is null or $2 in (input_mint, output_mint))
         and case when state = 'expired' then $4 = 'all' or funded = ($4 = 'funded') else state = any($3) end
     ), page as (
       select found_id from found order by found_at ${page.dir}, found_id ${page.dir} limit $5 offset $6
     )
     select o.*, total from (select count(*) as total from found) as counted
       left join (page join orders o on o.wallet = $1 and o.id = found_id) on true
     order by o.${page.sort} ${page.dir}, o.id ${page.dir}`,
    [page.wallet, page.mint ?? null, page.states, page.expired, page.limit, page.offset],
  );
  const orders = rows.filter(({ id }) => id !== null).map(fromStored);
  return { orders, total: Number(rows[0]!.total) };
}

/** Orders past their expiry with nothing in flight, earliest expiry first. */
export async function overdueTriggerOrders(sql: Sql, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from orders
     where state in ('open', 'partial_fill_success', 'execute_failed') and expires_at <= $1
     order by expires_at, id limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

async function announce(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const some of announced(ids)) await tx.notify(TRIGGER_ORDERS_CHANNEL, some);
}

/** The notifications that tell of these orders. */
function announced(ids: readonly string[]): string[] {
  const parts = Array.from(
    { length: Math.ceil(ids.length / IDS_PER_NOTIFICATION) },
    (_, part) => part * IDS_PER_NOTIFICATION,
  );
  return parts.map((from) => ids.slice(from, from + IDS_PER_NOTIFICATION).join(' '));
}
