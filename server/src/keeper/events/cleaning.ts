import { createClock } from '../../lib/clock.js';
import { assertClock } from '../../store/clock-skew.js';
import { silenceDeadKeys } from '../../store/dead-keys.js';
import { deleteEvents, forgetFollowers, forgetTold } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import { deleteFailed } from '../../store/webhook-deliveries.js';
import type { AgreedTime } from '../agreed-time.js';
import type { Chore } from '../keeper.js';

const BATCH = 5_000;
const VACUUM_AFTER = 50_000;

interface CleaningDeps {
  store: Store;
  agreedNow: AgreedTime;
  /** How long an event is kept. */
  keepMs: number;
  /** The time of this machine; for tests. */
  wallNow?: () => number;
}

/** Deletes events that are older than the operator wants to keep them, and what keys hear by that are none any more. */
export function eventCleaningChore({ store, agreedNow, keepMs, wallNow = createClock().now }: CleaningDeps): Chore {
  let deletedSinceVacuum = 0;
  return async (isClosing) => {
    // What is revoked is so by any clock.
    await silenceDeadKeys(store, new Date(0));
    // By a clock that has jumped ahead, keys that are being replaced would have expired, and their webhooks do not come back.
    await assertClock(store, wallNow);
    const now = new Date(await agreedNow());
    await silenceDeadKeys(store, now);
    await forgetFollowers(store, now);
    const before = new Date(now.getTime() - keepMs);
    while ((await store.single((tx) => deleteFailed(tx, before, BATCH))) === BATCH && !isClosing());
    await forgetTold(store, before);
    for (;;) {
      const deleted = await store.single((tx) => deleteEvents(tx, { before, now }, BATCH));
      deletedSinceVacuum += deleted;
      if (deleted < BATCH || isClosing()) break;
    }
    if (store.kind !== 'embedded' || deletedSinceVacuum < VACUUM_AFTER) return;
    // PGlite has no autovacuum.
    await store.query('vacuum analyze events');
    deletedSinceVacuum = 0;
  };
}
