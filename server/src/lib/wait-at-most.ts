import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the work, but not for longer than this; whether it is done. What it throws in time is thrown. */
export async function waitAtMost(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(milliseconds, false, { signal: waiting.signal }).catch(() => false);
  // Nobody may be there any more to hear of it.
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
