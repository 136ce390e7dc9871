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
  seal(text: string, place: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, place: string): Promise<string | undefined>;
  mark(text: string): Promise<Uint8Array>;
}

interface NewMaker extends Pick<Maker, 'id' | 'name' | 'createdAt'> {
  url: string;
}

/** A URL as it is stored. */
interface SealedUrl {
  sealed: Uint8Array;
  mark: Uint8Array;
}

/** What a sealed URL is bound to, so that it does not open in the row of another maker. */
const placeOf = (id: string): string => `makers.url of ${id}`;

async function sealUrl(box: UrlBox, id: string, url: string): Promise<SealedUrl> {
  const [sealed, mark] = await Promise.all([box.seal(url, placeOf(id)), box.mark(url)]);
  return { sealed, mark };
}

/** Registers a maker. False when its URL is registered already. */
export async function insertMaker(store: Store, box: UrlBox, maker: NewMaker): Promise<boolean> {
  const { id, name, url, createdAt } = maker;
  const { sealed, mark } = await sealUrl(box, id, url);
  return store.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into makers (id, name, url_sealed, url_mark, created_at) values ($1, $2, $3, $4, $5)
       on conflict (url_mark) do nothing`,
      [id, name, sealed, mark, createdAt],
    );
    return rowCount === 1;
  });
}

/** All makers, in the order they were registered. */
export async function listMakers(sql: Sql, box: UrlBox): Promise<Maker[]> {
  const { rows } = await sql.query<Omit<Maker, 'url'> & { sealed: Uint8Array | null }>(
    `select id, name, url_sealed as sealed, created_at as "createdAt", suspended_at as "suspendedAt",
       suspended_for as "suspendedFor"
     from makers order by created_at, id`,
  );
  return Promise.all(
    rows.map(async ({ sealed, ...maker }) => ({
      ...maker,
      url: sealed === null ? undefined : await box.open(sealed, placeOf(maker.id)),
    })),
  );
}

/**
 * Encrypts the URLs of a database from before they were, once: afterwards there is no column with clear text that
 * somebody else could write to. Returns how many.
 */
export async function sealMakers(store: Store, box: UrlBox): Promise<number> {
  if (!(await hasClearUrls(store))) return 0;
  const clear = await clearUrls(store);
  const sealed = await Promise.all(clear.map(async ({ id, url }) => ({ id, url, ...(await sealUrl(box, id, url)) })));
  const count = await store.transaction(async (tx) => {
    await tx.query('lock table makers in access exclusive mode');
    // Another copy may have been faster.
    if (!(await hasClearUrls(tx))) return 0;
    for (const { id, url, sealed: bytes, mark } of sealed) {
      const values = [id, url, bytes, mark];
      await tx.query('update makers set url_sealed = $3, url_mark = $4 where id = $1 and url = $2', values);
    }
    if ((await clearUrls(tx)).length > 0) return undefined;
    await tx.query('alter table makers drop column url');
    return sealed.length;
  });
  // One was registered meanwhile by a copy of an older release.
  if (count === undefined) return sealMakers(store, box);
  // Until then the table's file holds the old rows.
  if (count > 0) await store.query('vacuum full makers');
  return count;
}

async function clearUrls(sql: Sql): Promise<{ id: string; url: string }[]> {
  // By way of JSON, because another copy may have dropped the column in the meantime.
  const { rows } = await sql.query<{ id: string; url: string }>(
    `select id, to_jsonb(m) ->> 'url' as url from makers m where to_jsonb(m) ->> 'url' is not null and url_sealed is null`,
  );
  return rows;
}

async function hasClearUrls(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 as found from pg_attribute where attrelid = 'makers'::regclass and attname = 'url' and not attisdropped`,
  );
  return rows.length > 0;
}

/** Encrypts what is stored of the makers with another box. What does not open is left as it is: it never will. */
export async function resealMakers(tx: Tx, from: UrlBox, to: UrlBox): Promise<void> {
  for (const { id, url } of await listMakers(tx, from)) {
    if (url === undefined) continue;
    const { sealed, mark } = await sealUrl(to, id, url);
    await tx.query('update makers set url_sealed = $2, url_mark = $3 where id = $1', [id, sealed, mark]);
  }
}

/** From now on it is not asked. Removing and registering it again ends that. */
export async function suspendMaker(sql: Sql, id: string, why: { at: Date; signature: string }): Promise<void> {
  await sql.query('update makers set suspended_at = $2, suspended_for = $3 where id = $1', [id, why.at, why.signature]);
}

/** False when there is no such maker. */
export async function deleteMaker(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from makers where id = $1', [id])).rowCount === 1;
}
