import type { Order } from '../trigger-orders/order.js';
import type { Sql } from './sql.js';
import type { TriggerOrderTerms } from './trigger-order-row.js';

/** What a keeper needs to fire an order. Kept minimal, because there may be a million of them. */
export interface WaitingOrder
  extends Pick<Order, 'type' | 'stage' | 'fired'>,
    Omit<TriggerOrderTerms, 'slippageBps' | 'tpSlippageBps' | 'slSlippageBps' | 'expiresAt'> {
  id: string;
  triggerMint: string;
  inputMint: string;
  outputMint: string;
  /** The earliest time to fire; null if nothing was tried with its present terms. */
  retryAt: Date | null;
  /** How many fills in a row have failed. */
  failures: number;
}

const COLUMNS =
  'id, trigger_mint as "triggerMint", input_mint as "inputMint", output_mint as "outputMint", type, stage, fired, trigger_condition as "triggerCondition", ' +
  'trigger_price_usd as "triggerPriceUsd", trailing_bps as "trailingBps", high_watermark as "highWatermark", ' +
  'low_watermark as "lowWatermark", tp_price_usd as "tpPriceUsd", sl_price_usd as "slPriceUsd", retry_at as "retryAt", failures';
const WAITS = "state in ('open', 'partial_fill_success')";

/** A page of the orders that wait for a price, by id, after `after`. */
export async function waitingOrders(sql: Sql, after: string, limit: number): Promise<WaitingOrder[]> {
  const text = `select ${COLUMNS} from orders where ${WAITS} and id > $1 order by id limit $2`;
  return (await sql.query<WaitingOrder>(text, [after, limit])).rows;
}

/** Which of these orders wait for a price, in no particular order. */
export async function waitingAmong(sql: Sql, ids: readonly string[]): Promise<WaitingOrder[]> {
  return (await sql.query<WaitingOrder>(`select ${COLUMNS} from orders where ${WAITS} and id = any($1)`, [ids])).rows;
}
