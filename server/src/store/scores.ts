import type { Sql, Tx } from './sql.js';

/** The latest score of an event; times are ISO 8601. */
export interface EventScore {
  eventId: string;
  gameId: string;
  live: boolean;
  ended: boolean;
  updatedAt: string;
  leagueAbbreviation: string;
  homeTeam: string;
  awayTeam: string;
  /** As the provider writes it. */
  score: string;
  period: string;
  elapsed: string;
  status: string;
  /** When the game ended. */
  finishedTimestamp?: string;
}

/** The score of one event. */
export async function getScore(sql: Sql, eventId: string): Promise<EventScore | undefined> {
  const { rows } = await sql.query<{ score: EventScore }>('select score from scores where event_id = $1', [eventId]);
  return rows[0]?.score;
}

/** The scores of those of the events that have one, in no particular order. */
export async function getScores(sql: Sql, eventIds: readonly string[]): Promise<EventScore[]> {
  const { rows } = await sql.query<{ score: EventScore }>('select score from scores where event_id = any($1)', [
    eventIds,
  ]);
  return rows.map((row) => row.score);
}

/**
 * Stores a score that is newer than the stored one; false, and nothing changed, when it is not. A game that has ended
 * stays ended, at the time it ended first, whatever a later update says.
 */
export async function putScore(tx: Tx, score: EventScore): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into scores as s (event_id, score, updated_at) values ($1, $2, $3)
     on conflict (event_id) do update set updated_at = excluded.updated_at, score = excluded.score
       || case when (s.score ->> 'ended')::boolean then '{"ended": true, "live": false}'::jsonb else '{}'::jsonb end
       || case when s.score ? 'finishedTimestamp'
            then jsonb_build_object('finishedTimestamp', s.score -> 'finishedTimestamp') else '{}'::jsonb end
     where s.updated_at < excluded.updated_at`,
    [score.eventId, JSON.stringify(score), new Date(score.updatedAt)],
  );
  return rowCount === 1;
}
