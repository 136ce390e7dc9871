import { type Sql, type Tx, toJson } from './sql.js';

/** An event in an order's history, as its owner sees it. Amounts are in the smallest unit. */
export interface TriggerOrderEventRow {
  wallet: string;
  orderId: string;
  /** Sorts by time (UUID version 7). */
  id: string;
  type: 'deposit' | 'fill' | 'withdrawal' | 'cancelled' | 'expired';
  state: 'success' | 'failed' | 'pending';
  at: Date;
  signature: string | null;
  mint: string | null;
  amount: bigint | null;
  outputMint: string | null;
  outputAmount: bigint | null;
  context: 'take_profit' | 'stop_loss' | 'buy_above' | 'buy_below' | null;
}

type StoredEvent = Omit<TriggerOrderEventRow, 'amount' | 'outputAmount'> & {
  amount: string | null;
  outputAmount: string | null;
};

const COLUMNS =
  'wallet, order_id as "orderId", id, type, state, at, signature, mint, amount, output_mint as "outputMint", ' +
  'output_amount as "outputAmount", context';

/**
 * The statement that stores events, which are passed as this parameter. An existing one (same wallet, order and id) is
 * replaced, for example when a pending one has ended.
 */
export const writeEvents = (parameter: `$${number}`): string => `
  insert into order_events (wallet, order_id, id, type, state, at, signature, mint, amount, output_mint, output_amount, context)
  select wallet, "orderId", id, type, state, at, signature, mint, amount, "outputMint", "outputAmount", context
  from json_to_recordset(${parameter}::json) as e(wallet text, "orderId" text, id text, type text, state text,
    at timestamptz, signature text, mint text, amount numeric, "outputMint" text, "outputAmount" numeric, context text)
  on conflict (wallet, order_id, id) do update set state = excluded.state, at = excluded.at,
    signature = excluded.signature, amount = excluded.amount, output_amount = excluded.output_amount`;

/** Events as a parameter of that statement. */
export const encodeEvents = (events: readonly TriggerOrderEventRow[]): string => toJson(events);

export async function writeTriggerOrderEvents(tx: Tx, events: readonly TriggerOrderEventRow[]): Promise<void> {
  if (events.length > 0) await tx.query(writeEvents('$1'), [encodeEvents(events)]);
}

/** Of one order, the newest of the withdrawals that have failed: its owner has any number of them fail. */
export const MOST_FAILED = 20;

/** Deletes the oldest failed withdrawals of an order that the transaction has locked, where there are more. */
export async function keepNewestFailed(tx: Tx, wallet: string, orderId: string): Promise<void> {
  const failed = `wallet = $1 and order_id = $2 and type = 'withdrawal' and state = 'failed'`;
  await tx.query(
    `delete from order_events where ${failed} and id <= (
       select id from order_events where ${failed} order by id desc offset $3 limit 1
     )`,
    [wallet, orderId, MOST_FAILED],
  );
}

/** The most events of one order that are read: its owner makes any number of them. */
export const MOST_EVENTS = 100;

/** The newest events of some orders of one wallet, up to `most` of each, newest first. */
export async function triggerOrderEvents(
  sql: Sql,
  wallet: string,
  orderIds: readonly string[],
  most = MOST_EVENTS,
): Promise<TriggerOrderEventRow[]> {
  if (orderIds.length === 0) return [];
  // Ids sort by time, and the primary key ends in them: no more is read than what is answered.
  const { rows } = await sql.query<StoredEvent>(
    `select ${COLUMNS} from unnest($2::text[]) as asked (asked_id) cross join lateral (
       select * from order_events where wallet = $1 and order_id = asked_id order by id desc limit $3
     ) as newest order by at desc, id desc`,
    [wallet, orderIds, most],
  );
  return rows.map((row) => ({
    ...row,
    amount: row.amount === null ? null : BigInt(row.amount),
    outputAmount: row.outputAmount === null ? null : BigInt(row.outputAmount),
  }));
}
