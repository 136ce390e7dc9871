import { steadyNow } from './clock.js';

/** Milliseconds to wait for what will come: a busy machine takes its time, and only a fault should end the wait. */
export const PATIENCE_MS = 60_000;

/** What a turn of the event loop counts at most. */
const LONGEST_TURN_MS = 250;
let passed = steadyNow();
let seenAt = passed;
const sinceSeen = (now: number) => Math.min(LONGEST_TURN_MS, now - seenAt);
setInterval(() => {
  const now = steadyNow();
  passed += sinceSeen(now);
  seenAt = now;
}, 50).unref();

/**
 * Steady milliseconds for what a test only reads from time to time: while a busy machine lets its process stand still, nothing that
 * is kept fresh meanwhile goes stale.
 */
export function runningNow(): number {
  return passed + sinceSeen(steadyNow());
}
