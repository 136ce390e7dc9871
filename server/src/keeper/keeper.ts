import type { Logger } from 'pino';
import { Loop } from './loop.js';

/** Work that is done without a request. */
export interface Keeper {
  /** Does what is due now, once. Concurrent calls run one after the other. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

/** Work with a loop of its own. */
export interface KeeperLoop {
  /** Runs until nothing more can be done. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

/** Work that is done every two seconds. Once `isClosing` returns true, long work should stop early. */
export type Chore = (isClosing: () => boolean) => Promise<void>;

export interface KeeperDeps {
  /** A failing chore does not stop the others. */
  chores: readonly Chore[];
  /** Work with timers of its own. */
  loops: readonly KeeperLoop[];
  log: Logger;
}

const INTERVAL_MS = 2_000;

/** Starts the timer of the chores; the loops are already running. `close` closes both. */
export function startKeeper({ chores, loops, log }: KeeperDeps): Keeper {
  const isClosing = () => turns.isClosed;
  const turns = new Loop(() => all(chores.map((chore) => chore(isClosing))), {
    intervalMs: INTERVAL_MS,
    firstMs: INTERVAL_MS,
    log,
    failure: 'the keeper could not do its work; it will try again',
  });
  turns.start();
  return {
    async runDue() {
      // Fills first, so that the chore that reads trades from the chain finds them.
      const fills = all(loops.map((loop) => loop.runDue()));
      await fills.catch(() => {});
      await turns.tick();
      await fills;
    },
    async close() {
      const closing = turns.close();
      await closeAll(loops);
      await closing;
    },
  };
}

export async function closeAll(loops: readonly KeeperLoop[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.close()));
}

/** Waits until all have ended. @throws the error of the first that failed */
async function all(work: Promise<void>[]): Promise<void> {
  const done = await Promise.allSettled(work);
  const failed = done.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
