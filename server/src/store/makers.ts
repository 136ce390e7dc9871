import type { Sql, Tx } from './sql.js';

/** A market maker, reached by its webhook. */
export interface Maker {
  id: string;
  name: string;
  url: string;
  createdAt: Date;
  /** When it had sent a transaction that it had rejected, and its signature: it is not asked any more. */
  suspendedAt: Date | null;
  suspendedFor: string | null;
}

/** Registers a maker. False when its URL is registered already. */
export async function insertMaker(tx: Tx, maker: Omit<Maker, 'suspendedAt' | 'suspendedFor'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into makers (id, name, url, created_at) values ($1, $2, $3, $4) on conflict (url) do nothing',
    [maker.id, maker.name, maker.url, maker.createdAt],
  );
  return rowCount === 1;
}

/** All makers, in the order they were registered. */
export async function listMakers(sql: Sql): Promise<Maker[]> {
  const { rows } = await sql.query<Maker>(
    `select id, name, url, created_at as "createdAt", suspended_at as "suspendedAt", suspended_for as "suspendedFor"
     from makers order by created_at, id`,
  );
  return rows;
}

/** From now on it is not asked. Removing and registering it again ends that. */
export async function suspendMaker(sql: Sql, id: string, why: { at: Date; signature: string }): Promise<void> {
  await sql.query('update makers set suspended_at = $2, suspended_for = $3 where id = $1', [id, why.at, why.signature]);
}

/** False when there is no such maker. */
export async function deleteMaker(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from makers where id = $1', [id])).rowCount === 1;
}
