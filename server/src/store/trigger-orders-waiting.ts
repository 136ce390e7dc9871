import type { Order } from '../trigger-orders/order.js';
import type { Sql } from './sql.js';
import type { TriggerOrderTerms } from './trigger-order-row.js';

/** What a keeper has to know of an order to fire it: of a million of them, so that it is no more than that. */
export interface WaitingOrder
  extends Pick<Order, 'type' | 'stage' | 'fired'>,
    Omit<TriggerOrderTerms, 'slippageBps' | 'tpSlippageBps' | 'slSlippageBps' | 'expiresAt'> {
  id: string;
  triggerMint: string;
  /** Not before then. */
  retryAt: Date | null;
}

const COLUMNS =
  'id, trigger_mint as "triggerMint", type, stage, fired, trigger_condition as "triggerCondition", ' +
  'trigger_price_usd as "triggerPriceUsd", trailing_bps as "trailingBps", high_watermark as "highWatermark", ' +
  'low_watermark as "lowWatermark", tp_price_usd as "tpPriceUsd", sl_price_usd as "slPriceUsd", retry_at as "retryAt"';
const WAITS = "state in ('open', 'partial_fill_success')";

/** Orders that wait for a price, by id, after `after`: what a keeper loads, page by page. */
export async function waitingOrders(sql: Sql, after: string, limit: number): Promise<WaitingOrder[]> {
  const text = `select ${COLUMNS} from orders where ${WAITS} and id > $1 order by id limit $2`;
  return (await sql.query<WaitingOrder>(text, [after, limit])).rows;
}

/** Those of these orders that wait for a price, in no order. */
export async function waitingAmong(sql: Sql, ids: readonly string[]): Promise<WaitingOrder[]> {
  return (await sql.query<WaitingOrder>(`select ${COLUMNS} from orders where ${WAITS} and id = any($1)`, [ids])).rows;
}
