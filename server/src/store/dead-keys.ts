import { accountOfKey } from './event-accounts.js';
import type { Sql } from './sql.js';

// What wallets have added that were logged in by such a key stays: it is theirs.
const DEAD = `select $1 || id from api_keys where revoked_at is not null or expires_at <= $2`;

/**
 * Has keys that are revoked or have expired hear of nothing more: whoever had such a key has perhaps added a webhook, which
 * nobody can delete any more.
 */
export async function silenceDeadKeys(sql: Sql, now: Date): Promise<void> {
  for (const table of ['webhooks', 'event_followers']) {
    await sql.query(`delete from ${table} where account in (${DEAD})`, [accountOfKey(''), now]);
  }
}

/** Those of these keys that were revoked, or have expired. One that is in no database is not among them. */
export async function deadAmong(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from api_keys where id = any($1) and (revoked_at is not null or expires_at <= now())',
    [ids],
  );
  return rows.map(({ id }) => id);
}
