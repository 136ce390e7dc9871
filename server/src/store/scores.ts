import { tell } from './event-outbox.js';
import type { Sql, Tx } from './sql.js';

/** The latest score of an event; times are ISO 8601 with milliseconds, in UTC. */
export interface EventScore {
  eventId: string;
  gameId: string;
  live: boolean;
  ended: boolean;
  updatedAt: string;
  /** The next seven are as the provider writes them; null if it does not tell. */
  leagueAbbreviation: string | null;
  homeTeam: string | null;
  awayTeam: string | null;
  score: string | null;
  period: string | null;
  elapsed: string | null;
  status: string | null;
  /** When the game ended. */
  finishedTimestamp?: string;
}

/** The score of one event. */
export async function getScore(sql: Sql, eventId: string): Promise<EventScore | undefined> {
  return (await getScores(sql, [eventId]))[0];
}

/** The scores of these events, in no particular order; events without one are left out. */
export async function getScores(sql: Sql, eventIds: readonly string[]): Promise<EventScore[]> {
  const { rows } = await sql.query<{ score: EventScore }>('select score from scores where event_id = any($1)', [
    eventIds,
  ]);
  return rows.map((row) => row.score);
}

/** So far ahead of ours the clock of another copy, or of who sends scores, may be. */
const MOST_AHEAD_MS = 60_000;

/**
 * Stores the scores that are newer than the stored ones, and returns how many that were. What was stored while a clock ran ahead
 * gives way to what is not from then: `now`, in Unix milliseconds. A game that is told to have ended has, also where what is stored is
 * newer, and stays ended, at the time it ended first, whatever a later update says. Pass at most one score per event. Tells of
 * what has changed, unless it is only the time in the game.
 */
export async function putScores(tx: Tx, scores: readonly EventScore[], now: number): Promise<number> {
  // Sorted, so that two instances that write the same events cannot deadlock.
  const { rows } = await tx.query<{ score: EventScore; isNews: boolean }>(
    `with before as (
       select event_id, score from scores where event_id in (select value ->> 'eventId' from jsonb_array_elements($1::jsonb))
     )
     insert into scores as s (event_id, score, updated_at)
     select value ->> 'eventId', value, (value ->> 'updatedAt')::timestamptz
     from jsonb_array_elements($1::jsonb) order by 1
     on conflict (event_id) do update set
       updated_at = case when s.updated_at > $2 then excluded.updated_at else greatest(s.updated_at, excluded.updated_at) end,
       score = excluded.score
       || case when (s.score ->> 'ended')::boolean then '{"ended": true, "live": false}'::jsonb else '{}'::jsonb end
       || case when s.score ? 'finishedTimestamp'
            then jsonb_build_object('finishedTimestamp', s.score -> 'finishedTimestamp') else '{}'::jsonb end
     where s.updated_at < excluded.updated_at or (s.updated_at > $2 and excluded.updated_at <= $2)
       or ((excluded.score ->> 'ended')::boolean and not (s.score ->> 'ended')::boolean)
     returning s.score, s.score - '{updatedAt,elapsed}'::text[] is distinct from
       (select before.score - '{updatedAt,elapsed}'::text[] from before where before.event_id = s.event_id) as "isNews"`,
    [JSON.stringify(scores), new Date(now + MOST_AHEAD_MS)],
  );
  await tell(
    tx,
    rows.flatMap(({ score, isNews }) =>
      isNews
        ? {
            kind: 'score.changed' as const,
            at: new Date(score.updatedAt),
            wallets: [],
            begunBy: undefined,
            data: score,
          }
        : [],
    ),
  );
  return rows.length;
}
