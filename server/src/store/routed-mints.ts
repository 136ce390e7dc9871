import type { Sql, Tx } from './sql.js';

/** A mint, or two with a space between, that swaps were asked for. */
export interface RoutedMints {
  mints: string;
  /** Addresses of the pools that were found for it. */
  pools: string[];
  askedAt: Date;
}

/** Stores what was asked for and found, and forgets what was last asked for before `forgetBefore`. */
export async function storeRoutedMints(tx: Tx, rows: readonly RoutedMints[], forgetBefore: Date): Promise<void> {
  // Sorted, so that instances that store the same do not deadlock.
  await tx.query(
    `with forgotten as (delete from routed_mints where asked_at < $2)
     insert into routed_mints as known (mints, pools, asked_at)
     select mints, pools, "askedAt" from json_to_recordset($1::json) as r(mints text, pools text[], "askedAt" timestamptz)
     where "askedAt" >= $2 order by mints
     on conflict (mints) do update
       set pools = excluded.pools, asked_at = greatest(known.asked_at, excluded.asked_at)`,
    [JSON.stringify(rows), forgetBefore],
  );
}

/** What was asked for since then, the latest first. */
export async function routedMints(sql: Sql, since: Date, most: number): Promise<RoutedMints[]> {
  const { rows } = await sql.query<RoutedMints>(
    `select mints, pools, asked_at as "askedAt" from routed_mints where asked_at >= $1 order by asked_at desc limit $2`,
    [since, most],
  );
  return rows;
}
