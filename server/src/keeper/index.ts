import type { Logger } from 'pino';
import type { Landing } from '../landing/index.js';
import type { Clock } from '../lib/clock.js';
import { deleteChallenges } from '../store/challenges.js';
import { deleteDead } from '../store/ledger.js';
import type { Store } from '../store/sql.js';
import { expireTriggerOrders } from './expire-trigger-orders.js';

export interface Keeper {
  /** Does once what is due now. Runs one after the other, however often it is asked for. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

/** Work with a loop of its own. */
export interface KeeperLoop {
  /** Goes on until nothing more can be done. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

export interface KeeperDeps {
  store: Store;
  landing: Landing;
  clock: Clock;
  /** Further work that comes due; each is done also where another one fails. */
  chores: readonly (() => Promise<void>)[];
  /** Work that waits for no timer of this one. */
  loops: readonly KeeperLoop[];
  log: Logger;
}

const INTERVAL_MS = 2_000;
/** Crafted requests and login challenges that nobody came back with are kept this long after they have expired. */
const KEEP_DEAD_MS = 24 * 60 * 60_000;
const DELETE_BATCH = 5_000;
const VACUUM_AFTER = 50_000;

/**
 * The loop: takes over transactions that a stopped copy has left under way, deletes what is long dead, and does the
 * chores.
 */
export function startKeeper({ store, landing, clock, chores, loops, log }: KeeperDeps): Keeper {
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let deletedSinceVacuum = 0;

  async function clearLedger(): Promise<void> {
    const resumed = await landing.resume({ all: false });
    if (resumed > 0) log.info({ resumed }, 'took over transactions that were left under way');
    await expireTriggerOrders(store, new Date(clock.now()));
    const before = new Date(clock.now() - KEEP_DEAD_MS);
    await store.single((tx) => deleteChallenges(tx, before));
    let deleted = 0;
    do {
      deleted = await store.transaction((tx) => deleteDead(tx, before, DELETE_BATCH));
      deletedSinceVacuum += deleted;
    } while (deleted === DELETE_BATCH && !closed);
    if (store.kind === 'embedded' && deletedSinceVacuum >= VACUUM_AFTER) {
      // Nothing else does it there: PGlite has no autovacuum.
      await store.query('vacuum analyze ledger');
      deletedSinceVacuum = 0;
    }
  }

  async function once(): Promise<void> {
    const done = await Promise.allSettled([clearLedger, ...chores].map((chore) => chore()));
    const failed = done.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  function runDue(): Promise<void> {
    running = running.catch(() => {}).then(once);
    return running;
  }

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      runDue()
        .catch((error: Error) =>
          log.warn({ reason: error.message }, 'the keeper could not do its work; it tries again'),
        )
        .finally(schedule);
    }, INTERVAL_MS);
  }
  schedule();

  return {
    async runDue() {
      // First the fills, so that the chore that reads trades from the chain finds them.
      const done = await Promise.allSettled(loops.map((loop) => loop.runDue()));
      await runDue();
      const failed = done.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.all(loops.map((loop) => loop.close()));
      await running.catch(() => {});
    },
  };
}
