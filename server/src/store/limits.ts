import type { Sql } from './sql.js';

interface WindowCalls {
  keyId: string;
  bucket: string;
  /** The current unix second. */
  second: number;
  windowSeconds: number;
  /** The most calls that a window may hold. */
  limit: number;
  /** How many calls are requested now. */
  calls: number;
}

interface WindowState {
  /** How many of the calls may pass. */
  granted: number;
  /** Calls in the window, these included. */
  current: number;
  /** The second of the oldest call in the window; the current second when there is none. */
  oldestSecond: number;
}

/** Deletes the windows whose newest call was not between these seconds; returns how many. */
export async function deleteWindows(sql: Sql, { after, until }: { after: number; until: number }): Promise<number> {
  const text = 'delete from rate_windows where seconds[cardinality(seconds)] not between $1 and $2';
  return (await sql.query(text, [after, until])).rowCount;
}

/**
 * Counts calls in the sliding window of a key and bucket, in one statement that is atomic across instances. A call
 * leaves the window `windowSeconds` after the second it was made in.
 */
export async function take(sql: Sql, wanted: WindowCalls): Promise<WindowState> {
  const { rows } = await sql.query<{ granted: bigint; current: bigint; oldest_second: bigint }>(
    'select granted, current, oldest_second from take_calls($1, $2, $3, $4, $5, $6)',
    [wanted.keyId, wanted.bucket, wanted.second, wanted.windowSeconds, wanted.limit, wanted.calls],
  );
  const state = rows[0]!;
  return {
    granted: Number(state.granted),
    current: Number(state.current),
    oldestSecond: Number(state.oldest_second),
  };
}
