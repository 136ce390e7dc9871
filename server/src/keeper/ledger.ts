import type { Logger } from 'pino';
import type { Landing } from '../landing/index.js';
import { type Clock, createClock } from '../lib/clock.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { forgetAdminSessions } from '../store/admin-sessions.js';
import { deleteChallenges } from '../store/challenges.js';
import { assertClock } from '../store/clock-skew.js';
import {
  areSubmissionsOver,
  deleteDead,
  deleteEndedSubmissions,
  deleteNeverLanded,
  deleteNeverPaid,
} from '../store/ledger-cleaning.js';
import type { Store, Tx } from '../store/sql.js';
import type { AgreedTime } from './agreed-time.js';
import { expireTriggerOrders } from './expire-trigger-orders.js';
import type { Chore } from './keeper.js';

/** How long unused requests, login challenges and ended sessions are kept after they have expired. */
const KEEP_DEAD_MS = 24 * 60 * 60_000;
const DELETE_BATCH = 5_000;
const VACUUM_AFTER = 50_000;
const LONGEST_READ_MS = 5_000;

interface LedgerChoreDeps {
  store: Store;
  agreedNow: AgreedTime;
  /** The time of this machine; for tests. */
  wallNow?: () => number;
}

/** Takes over transactions of stopped instances, and expires trigger orders. */
export function ledgerChore(
  deps: LedgerChoreDeps & { clock: Clock; landing: Pick<Landing, 'resume'>; log: Logger },
): Chore {
  const { store, landing, clock, agreedNow, log, wallNow = createClock().now } = deps;
  return async () => {
    const resumed = await landing.resume({ all: false });
    if (resumed > 0) log.info({ resumed }, 'took over transactions that were left in flight');
    // What has expired does not come back when a clock that has jumped ahead is set right.
    await assertClock(store, wallNow);
    const due = new Date(await agreedNow());
    await expireTriggerOrders(store, new Date(clock.now()), due);
  };
}

/**
 * Deletes what expired or ended long ago: a chore of its own, because there may be millions of rows. `keepEndedMs`: how long a
 * submission, and what has never landed, is kept after its end. `readNews` reads what invites and limit orders have come to.
 */
export function ledgerCleaningChore(
  deps: LedgerChoreDeps & { keepEndedMs: number; readNews: () => Promise<void> },
): Chore {
  const { store, agreedNow, keepEndedMs, readNews, wallNow = createClock().now } = deps;
  let deletedSinceVacuum = 0;
  return async (isClosing) => {
    // What was deleted does not come back when a clock that has jumped ahead is set right.
    await assertClock(store, wallNow);
    const now = await agreedNow();
    const before = new Date(now - KEEP_DEAD_MS);
    await store.single((tx) => deleteChallenges(tx, before));
    await store.single((tx) => forgetAdminSessions(tx, before));
    deletedSinceVacuum += await inBatches((tx) => deleteDead(tx, before, DELETE_BATCH), isClosing);
    const endedBefore = new Date(now - keepEndedMs);
    deletedSinceVacuum += await inBatches((tx) => deleteNeverLanded(tx, endedBefore, DELETE_BATCH), isClosing);
    await inBatches((tx) => deleteNeverPaid(tx, endedBefore, DELETE_BATCH), isClosing);
    const submittedBefore = (await isRead(endedBefore)) ? endedBefore : new Date(endedBefore.getTime() - KEEP_DEAD_MS);
    deletedSinceVacuum += await inBatches((tx) => deleteEndedSubmissions(tx, submittedBefore, DELETE_BATCH), isClosing);
    if (store.kind !== 'embedded' || deletedSinceVacuum < VACUUM_AFTER) return;
    // PGlite has no autovacuum.
    await store.query('vacuum analyze ledger');
    deletedSinceVacuum = 0;
  };

  /**
   * Whether what submissions have opened is in the lists: its end is told to the key that has submitted it. In a sandbox, whose clock is
   * moved, nobody may have read it yet. Where that cannot be read, they go a day later all the same.
   */
  async function isRead(endedBefore: Date): Promise<boolean> {
    if (!(await areSubmissionsOver(store, endedBefore))) return false;
    return waitAtMost(LONGEST_READ_MS, readNews()).catch(() => false);
  }

  async function inBatches(deleteSome: (tx: Tx) => Promise<number>, isClosing: () => boolean): Promise<number> {
    let inAll = 0;
    for (;;) {
      const deleted = await store.transaction(deleteSome);
      inAll += deleted;
      if (deleted < DELETE_BATCH || isClosing()) return inAll;
    }
  }
}
