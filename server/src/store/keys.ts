import type { Sql, Tx } from './sql.js';

export interface NewKey {
  id: string;
  name: string;
  /** The first characters of the key, shown in lists. */
  prefix: string;
  /** SHA-256 of the key; the key itself is never stored. */
  hash: Uint8Array;
  tier: string;
  /** Path prefixes that the key is limited to; empty: all paths. */
  prefixes: readonly string[];
  /** The origins of the pages that it stands in; empty: it is kept secret. */
  origins: readonly string[];
  createdAt: Date;
  expiresAt?: Date | undefined;
}

export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  tier: string;
  prefixes: string[];
  origins: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The id of the key that this one replaces. */
  rotatedFrom: string | null;
}

/** Told of keys that were made, revoked, or replaced, by their ids. */
export const KEYS_CHANNEL = 'keys';

const COLUMNS =
  'id, name, prefix, tier, prefixes, origins, created_at as "createdAt", expires_at as "expiresAt", ' +
  'revoked_at as "revokedAt", rotated_from as "rotatedFrom"';

/** Stores a new key. */
export function createKey(tx: Tx, key: NewKey): Promise<ApiKey> {
  return insertKey(tx, key, null);
}

/** All keys, newest first, including revoked and expired ones. */
export async function listKeys(sql: Sql): Promise<ApiKey[]> {
  return (await sql.query<ApiKey>(`select ${COLUMNS} from api_keys order by created_at desc, id desc`)).rows;
}

/**
 * Stores `replacement` as the successor of the key `id`, which stays valid until `oldExpiresAt` at most. The caller
 * copies name, tier, prefixes and origins. Undefined if there is no such key, or it is revoked or expired at
 * `replacement.createdAt`.
 */
export async function rotateKey(
  tx: Tx,
  id: string,
  replacement: NewKey,
  oldExpiresAt: Date,
): Promise<ApiKey | undefined> {
  const { rowCount } = await tx.query(
    `update api_keys set expires_at = least(expires_at, $2)
     where id = $1 and revoked_at is null and (expires_at is null or expires_at > $3)`,
    [id, oldExpiresAt, replacement.createdAt],
  );
  return rowCount === 0 ? undefined : insertKey(tx, replacement, id);
}

/** Revokes a key at once. False if there is no such key or it is revoked already. */
export async function revokeKey(tx: Tx, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query('update api_keys set revoked_at = $2 where id = $1 and revoked_at is null', [
    id,
    at,
  ]);
  return rowCount === 1;
}

/** One key, whatever its state. */
export async function findKey(sql: Sql, id: string): Promise<ApiKey | undefined> {
  return (await sql.query<ApiKey>(`select ${COLUMNS} from api_keys where id = $1`, [id])).rows[0];
}

/** The keys with these SHA-256, by them in base64, that are neither revoked nor expired at `now`. */
export async function findKeysByHash(
  sql: Sql,
  hashes: readonly Uint8Array[],
  now: Date,
): Promise<ReadonlyMap<string, ApiKey>> {
  const { rows } = await sql.query<ApiKey & { hash: Uint8Array }>(
    `select ${COLUMNS}, hash from api_keys
     where hash = any($1) and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [hashes, now],
  );
  return new Map(rows.map(({ hash, ...key }) => [Buffer.from(hash).toString('base64'), key]));
}

async function insertKey(tx: Tx, key: NewKey, rotatedFrom: string | null): Promise<ApiKey> {
  const { rows } = await tx.query<ApiKey>(
    `insert into api_keys (id, name, prefix, hash, tier, prefixes, origins, created_at, expires_at, rotated_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
    [
      key.id,
      key.name,
      key.prefix,
      key.hash,
      key.tier,
      key.prefixes,
      key.origins,
      key.createdAt,
      key.expiresAt,
      rotatedFrom,
    ],
  );
  return rows[0]!;
}
