import type { Sql, Tx } from './sql.js';

/** The price of a mint in the sandbox, in US dollars. */
export interface StoredPrice {
  mint: string;
  usd: number;
  updatedAt: Date;
}

/** All prices, by mint. */
export async function listPrices(sql: Sql): Promise<StoredPrice[]> {
  return (await sql.query<StoredPrice>('select mint, usd, updated_at as "updatedAt" from prices order by mint')).rows;
}

/** Sets the price of one mint. */
export async function setPrice(tx: Tx, price: StoredPrice): Promise<void> {
  await tx.query(
    `insert into prices (mint, usd, updated_at) values ($1, $2, $3)
     on conflict (mint) do update set usd = excluded.usd, updated_at = excluded.updated_at`,
    [price.mint, price.usd, price.updatedAt],
  );
}

/** Sets the update time of all prices. */
export async function stampPrices(tx: Tx, updatedAt: Date): Promise<void> {
  await tx.query('update prices set updated_at = $1', [updatedAt]);
}
