import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for the work, but no longer than this; returns whether it is done. Rethrows what it throws in time. Without `ref`, the
 * wait alone does not keep the process alive.
 */
export async function waitAtMost(milliseconds: number, work: Promise<void>, { ref = true } = {}): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(milliseconds, false, { signal: waiting.signal, ref }).catch(() => false);
  // After the time limit, nobody handles a rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
