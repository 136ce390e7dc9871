import { setTimeout as sleep } from 'node:timers/promises';
import type { TriggerV1Deps } from './deps.js';

/** A long history is read on in the background. */
const LONGEST_WAIT_MS = 2_000;

/** Waits until the index knows what the chain knows now; not for long, and not where the chain cannot be reached. */
export async function catchUp({ index, log }: TriggerV1Deps): Promise<void> {
  const synced = index.sync().catch((error: Error) => {
    log.warn({ reason: error.message }, 'cannot read limit orders from the chain; answering what is known');
  });
  const waited = new AbortController();
  await Promise.race([synced, sleep(LONGEST_WAIT_MS, undefined, { signal: waited.signal }).catch(() => {})]);
  waited.abort();
}
