import type { LedgerRow } from './ledger.js';
import type { Sql } from './sql.js';

/** Fills of an order that are looked at: more of them say nothing new. */
const MOST_READ = 20;

/** A fill that failed on the chain, so that its fee was paid. */
export type FailedFill = Pick<LedgerRow, 'id' | 'area' | 'payload' | 'error' | 'wire'>;

/**
 * Of the last `failures` fills of an order, and of 20 at most, those that failed on the chain, newest first. The others have
 * expired.
 */
export async function failedFills(
  sql: Sql,
  { wallet, orderId, failures }: { wallet: string; orderId: string; failures: number },
): Promise<FailedFill[]> {
  const { rows } = await sql.query<FailedFill>(
    `select l.id, l.area, l.payload, l.error, l.wire from (
       select id from order_events where wallet = $1 and order_id = $2 and type = 'fill' and state = 'failed'
       order by id desc limit $3
     ) as e join ledger l on l.id = e.id
     where l.state = 'failed' and l.slot is not null order by l.id desc`,
    [wallet, orderId, Math.min(failures, MOST_READ)],
  );
  return rows;
}

/** How many of an order's last fills have expired, since the last one that was taken into a block. */
export async function expiredFills(
  sql: Sql,
  { wallet, orderId, failures }: { wallet: string; orderId: string; failures: number },
): Promise<number> {
  if (failures === 0) return 0;
  const { rows } = await sql.query<{ state: LedgerRow['state'] }>(
    `select l.state from (
       select id from order_events where wallet = $1 and order_id = $2 and type = 'fill' and state = 'failed'
       order by id desc limit $3
     ) as e join ledger l on l.id = e.id order by l.id desc`,
    [wallet, orderId, Math.min(failures, MOST_READ)],
  );
  const taken = rows.findIndex(({ state }) => state !== 'expired');
  if (taken !== -1) return taken;
  return rows.length === MOST_READ ? failures : rows.length;
}
