import type { Sql, Tx } from './sql.js';

/** The sessions that were ended, and would still go on at `now`. */
export async function endedAdminSessions(sql: Sql, now: Date): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>('select id from ended_admin_sessions where until > $1', [now]);
  return new Set(rows.map(({ id }) => id));
}

/** Remembers that a session is over until it would be over anyway, and forgets those that are. */
export async function endAdminSession(tx: Tx, { id, until }: { id: string; until: Date }, now: Date): Promise<void> {
  await tx.query('delete from ended_admin_sessions where until <= $1', [now]);
  await tx.query('insert into ended_admin_sessions (id, until) values ($1, $2) on conflict do nothing', [id, until]);
}
