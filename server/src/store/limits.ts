import type { Sql } from './sql.js';

interface WindowCalls {
  keyId: string;
  bucket: string;
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
  /** The current unix second. */
  second: number;
}

// By the database's clock, which all instances share: that of a machine that has slept is behind, and that of another ahead.
const NOW = 'floor(extract(epoch from statement_timestamp()))::bigint';

/** Deletes the windows whose newest call was not within so many seconds before or after now; returns how many. */
export async function deleteWindows(sql: Sql, seconds: number): Promise<number> {
  const text = `delete from rate_windows where seconds[cardinality(seconds)] not between ${NOW} - $1::int and ${NOW} + $1::int`;
  return (await sql.query(text, [seconds])).rowCount;
}

/**
 * Counts calls in the sliding window of a key and bucket, in one statement that is atomic across instances. A call
 * leaves the window `windowSeconds` after the second it was made in.
 */
export async function take(sql: Sql, wanted: WindowCalls): Promise<WindowState> {
  const { rows } = await sql.query<{ granted: bigint; current: bigint; oldest_second: bigint; second: bigint }>(
    `select granted, current, oldest_second, ${NOW} as second from take_calls($1, $2, ${NOW}, $3, $4, $5)`,
    [wanted.keyId, wanted.bucket, wanted.windowSeconds, wanted.limit, wanted.calls],
  );
  const state = rows[0]!;
  return {
    granted: Number(state.granted),
    current: Number(state.current),
    oldestSecond: Number(state.oldest_second),
    second: Number(state.second),
  };
}
