import type { Sql, Store, Tx } from './sql.js';

/** A market maker, reached by its webhook. */
export interface Maker {
  id: string;
  name: string;
  /** Undefined if the row does not hold what this service has written for this maker. */
  url: string | undefined;
  createdAt: Date;
  /** When it had sent a transaction that it had rejected, and its signature: it is not asked any more. */
  suspendedAt: Date | null;
  suspendedFor: string | null;
}

/** Encrypts and opens URLs, each for its own maker; see the signer's secret box. */
export interface UrlBox {
  seal(text: string, place: string): Uint8Array;
  open(sealed: Uint8Array, place: string): string | undefined;
  mark(text: string): Uint8Array;
}

interface NewMaker extends Pick<Maker, 'id' | 'name' | 'createdAt'> {
  url: string;
}

/** What a sealed URL is bound to, so that it does not open in the row of another maker. */
const placeOf = (id: string): string => `makers.url of ${id}`;

/** Registers a maker. False when its URL is registered already. */
export async function insertMaker(tx: Tx, box: UrlBox, { id, name, url, createdAt }: NewMaker): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into makers (id, name, url_sealed, url_mark, created_at) values ($1, $2, $3, $4, $5)
     on conflict (url_mark) do nothing`,
    [id, name, box.seal(url, placeOf(id)), box.mark(url), createdAt],
  );
  return rowCount === 1;
}

/** All makers, in the order they were registered. */
export async function listMakers(sql: Sql, box: UrlBox): Promise<Maker[]> {
  const { rows } = await sql.query<Omit<Maker, 'url'> & { sealed: Uint8Array | null }>(
    `select id, name, url_sealed as sealed, created_at as "createdAt", suspended_at as "suspendedAt",
       suspended_for as "suspendedFor"
     from makers order by created_at, id`,
  );
  return rows.map(({ sealed, ...maker }) => ({
    ...maker,
    url: sealed === null ? undefined : box.open(sealed, placeOf(maker.id)),
  }));
}

/**
 * Encrypts the URLs of a database from before they were, once: afterwards there is no column with clear text that
 * somebody else could write to. Returns how many.
 */
export async function sealMakers(store: Store, box: UrlBox): Promise<number> {
  if (!(await hasClearUrls(store))) return 0;
  const count = await store.transaction(async (tx) => {
    await tx.query('lock table makers in access exclusive mode');
    // Another copy may have been faster.
    if (!(await hasClearUrls(tx))) return 0;
    const { rows } = await tx.query<{ id: string; url: string }>(
      'select id, url from makers where url is not null and url_sealed is null',
    );
    for (const { id, url } of rows) {
      const values = [id, box.seal(url, placeOf(id)), box.mark(url)];
      await tx.query('update makers set url_sealed = $2, url_mark = $3 where id = $1', values);
    }
    await tx.query('alter table makers drop column url');
    return rows.length;
  });
  // Until then the table's file holds the old rows.
  if (count > 0) await store.query('vacuum full makers');
  return count;
}

async function hasClearUrls(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 as found from pg_attribute where attrelid = 'makers'::regclass and attname = 'url' and not attisdropped`,
  );
  return rows.length > 0;
}

/** From now on it is not asked. Removing and registering it again ends that. */
export async function suspendMaker(sql: Sql, id: string, why: { at: Date; signature: string }): Promise<void> {
  await sql.query('update makers set suspended_at = $2, suspended_for = $3 where id = $1', [id, why.at, why.signature]);
}

/** False when there is no such maker. */
export async function deleteMaker(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from makers where id = $1', [id])).rowCount === 1;
}
