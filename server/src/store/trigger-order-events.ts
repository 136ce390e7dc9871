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

/** The events of some orders of one wallet, newest first. */
export async function triggerOrderEvents(
  sql: Sql,
  wallet: string,
  orderIds: readonly string[],
): Promise<TriggerOrderEventRow[]> {
  if (orderIds.length === 0) return [];
  const { rows } = await sql.query<StoredEvent>(
    `select ${COLUMNS} from order_events where wallet = $1 and order_id = any($2) order by at desc, id desc`,
    [wallet, orderIds],
  );
  return rows.map((row) => ({
    ...row,
    amount: row.amount === null ? null : BigInt(row.amount),
    outputAmount: row.outputAmount === null ? null : BigInt(row.outputAmount),
  }));
}
