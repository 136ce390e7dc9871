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

/** Whether a withdrawal that was crafted after this one, and left nothing out that was shown then, has been recorded as landed. */
export async function wholeHasLandedAfter(
  sql: Sql,
  { wallet, id }: { wallet: string; id: string },
  requestId: string,
): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 from order_events e join ledger l on l.id = split_part(e.id, ' ', 1)
     where e.wallet = $1 and e.order_id = $2 and e.id > $3 and e.type = 'withdrawal' and e.state = 'success'
       and l.payload->'isPart' is null limit 1`,
    [wallet, id, requestId],
  );
  return rows.length > 0;
}
