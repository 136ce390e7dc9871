/** 0000-01-01 and 9999-12-31: a `date-time` has four digits of a year, and few clients read more. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_000;

/** ISO 8601 of a time that somebody else has chosen: the last second that most clients read stands for those after it. */
export function isoTime(unixMilliseconds: number | bigint): string {
  return new Date(Math.min(Math.max(Number(unixMilliseconds), FIRST_MS), LAST_MS)).toISOString();
}
