import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.js';
import { type Chained, chained } from '../lib/hash-chain.js';
import type { Sql, Store } from './sql.js';

/** Something that an admin has asked for. */
export interface AdminAct {
  /** ISO 8601. */
  at: string;
  /** The name of the admin. */
  who: string;
  /** The method and the path. */
  what: string;
  requestId: string;
  /** SHA-256 in hex of the body as JSON. */
  digest: string;
}

interface Row {
  seq: bigint;
  at: Date;
  who: string;
  what: string;
  requestId: string;
  digest: string;
  prev: string;
  hash: string;
}

/** Where the record ends, so that the removal of its last rows is seen, too. */
const HEAD = 'admin_acts.head';
const LOCK = 5_702_119_633;

/** Adds to the record, after everything that is in it. */
export async function recordAct(store: Store, act: AdminAct): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const { rows } = await tx.query<{ value: { seq: number; hash: string } }>(
      'select value from settings where key = $1',
      [HEAD],
    );
    const { seq, prev, hash } = chained(act, rows[0]?.value);
    await tx.query(
      `insert into admin_acts (seq, at, who, what, request_id, digest, prev, hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [seq, new Date(act.at), act.who, act.what, act.requestId, act.digest, prev, hash],
    );
    await tx.query(
      `insert into settings (key, value) values ($1, $2)
       on conflict (key) do update set value = excluded.value`,
      [HEAD, JSON.stringify({ seq, hash })],
    );
  });
}

/** The acts after a number, the oldest first, and where the record ends. */
export async function actsAfter(
  sql: Sql,
  after: number,
  limit: number,
): Promise<{ acts: Chained<AdminAct>[]; head: { seq: number; hash: string } | undefined }> {
  const { rows: heads } = await sql.query<{ value: { seq: number; hash: string } }>(
    'select value from settings where key = $1',
    [HEAD],
  );
  const { rows } = await sql.query<Row>(
    `select seq, at, who, what, request_id as "requestId", digest, prev, hash from admin_acts
     where seq > $1 order by seq limit $2`,
    [after, limit],
  );
  const acts = rows.map(({ seq, prev, hash, at, ...act }) => {
    return { seq: Number(seq), prev, hash, entry: { ...act, at: at.toISOString() } };
  });
  return { acts, head: heads[0]?.value };
}

/** Writes acts into the record, with the digests of their bodies. */
export function actRecord(store: Store, clock: Clock) {
  return ({ body, ...act }: { who: string; what: string; requestId: string; body: unknown }): Promise<void> => {
    const digest = createHash('sha256')
      .update(JSON.stringify(body ?? null))
      .digest('hex');
    return recordAct(store, { ...act, at: new Date(clock.now()).toISOString(), digest });
  };
}
