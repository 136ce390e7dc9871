import type { Sql, Tx } from './sql.js';

/** The sessions that were ended, those included that would be over by now. */
export async function endedAdminSessions(sql: Sql): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>('select id from ended_admin_sessions');
  return new Set(rows.map(({ id }) => id));
}

/** Remembers that a session is over, though it would go on until `until`. */
export async function endAdminSession(tx: Tx, { id, until }: { id: string; until: Date }): Promise<void> {
  await tx.query('insert into ended_admin_sessions (id, until) values ($1, $2) on conflict do nothing', [id, until]);
}

/** Forgets the ended sessions that would have been over before `before`. */
export async function forgetAdminSessions(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from ended_admin_sessions where until < $1', [before]);
}
