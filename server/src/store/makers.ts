import type { Sql, Tx } from './sql.js';

/** A market maker, reached by its webhook. */
export interface Maker {
  id: string;
  name: string;
  url: string;
  createdAt: Date;
}

/** Registers a maker. False when its URL is registered already. */
export async function insertMaker(tx: Tx, maker: Maker): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into makers (id, name, url, created_at) values ($1, $2, $3, $4) on conflict (url) do nothing',
    [maker.id, maker.name, maker.url, maker.createdAt],
  );
  return rowCount === 1;
}

/** All makers, in the order they were registered. */
export async function listMakers(sql: Sql): Promise<Maker[]> {
  return (await sql.query<Maker>('select id, name, url, created_at as "createdAt" from makers order by created_at, id'))
    .rows;
}

/** False when there is no such maker. */
export async function deleteMaker(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from makers where id = $1', [id])).rowCount === 1;
}
