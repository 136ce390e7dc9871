import type { Sql } from './sql.js';

/** The mints that withdrawals of this order have brought home. */
export async function withdrawnMints(sql: Sql, { wallet, id }: { wallet: string; id: string }): Promise<string[]> {
  const { rows } = await sql.query<{ mint: string }>(
    `select distinct mint from order_events
     where wallet = $1 and order_id = $2 and type = 'withdrawal' and state = 'success'`,
    [wallet, id],
  );
  return rows.map(({ mint }) => mint);
}
