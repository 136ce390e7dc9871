import { waitAtMost } from '../../lib/wait-at-most.js';
import type { TriggerV1Deps } from './deps.js';

/** After this, a long history is read on in the background. */
const LONGEST_WAIT_MS = 2_000;

/** Waits until the index has caught up with the chain: not for long, and not if the chain is unreachable. */
export async function catchUp({ index, log, longestWaitMs = LONGEST_WAIT_MS }: TriggerV1Deps): Promise<void> {
  const synced = index.sync().catch((error: Error) => {
    log.warn({ reason: error.message }, 'cannot read limit orders from the chain; answering what is known');
  });
  await waitAtMost(longestWaitMs, synced);
}
