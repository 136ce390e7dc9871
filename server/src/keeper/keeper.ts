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

/**
 * Work that is done again two seconds after it has ended; to interrupt it loses nothing. Once `isClosing` returns true, long work
 * should stop early.
 */
export type Chore = (isClosing: () => boolean) => Promise<void>;

export interface KeeperDeps {
  /** None waits for another: a program's history may take hours, and so may what needs a slow bucket. */
  chores: readonly Chore[];
  /** Work with timers of its own. */
  loops: readonly KeeperLoop[];
  log: Logger;
}

const INTERVAL_MS = 2_000;
/** How long the end waits for a chore. */
const LONGEST_CLOSE_MS = 2_000;

/** Starts the timers of the chores; the loops are already running. `close` closes all of them. */
export function startKeeper({ chores, loops, log }: KeeperDeps): Keeper {
  const options = {
    intervalMs: INTERVAL_MS,
    firstMs: INTERVAL_MS,
    longestCloseMs: LONGEST_CLOSE_MS,
    log,
    failure: 'the keeper could not do its work; it will try again',
  };
  const turns = chores.map((chore) => {
    const turn: Loop<void> = new Loop(() => chore(() => turn.isClosed), options);
    return turn;
  });
  for (const turn of turns) turn.start();
  return {
    async runDue() {
      // Fills first, so that the chore that reads trades from the chain finds them.
      const fills = all(loops.map((loop) => loop.runDue()));
      await fills.catch(() => {});
      await all(turns.map((turn) => turn.tick()));
      await fills;
    },
    async close() {
      const closing = turns.map((turn) => turn.close());
      await closeAll(loops);
      await Promise.all(closing);
    },
  };
}

export async function closeAll(loops: readonly KeeperLoop[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.close()));
}

/** Waits until all have ended. @throws the error of the first that failed */
async function all(work: Promise<unknown>[]): Promise<void> {
  const done = await Promise.allSettled(work);
  const failed = done.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
