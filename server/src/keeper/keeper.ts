import type { Logger } from 'pino';
import { Loop } from './loop.js';

/** What is done without a request. */
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

/** Work that is done every two seconds. `isClosing`: what takes long shall come to an end. */
export type Chore = (isClosing: () => boolean) => Promise<void>;

export interface KeeperDeps {
  /** Each is done also where another one fails. */
  chores: readonly Chore[];
  /** Work that waits for no timer of this one. */
  loops: readonly KeeperLoop[];
  log: Logger;
}

const INTERVAL_MS = 2_000;

/** Starts the timer of the chores; the loops run already. Closes both. */
export function startKeeper({ chores, loops, log }: KeeperDeps): Keeper {
  const isClosing = () => turns.isClosed;
  const turns = new Loop(() => all(chores.map((chore) => chore(isClosing))), {
    intervalMs: INTERVAL_MS,
    firstMs: INTERVAL_MS,
    log,
    failure: 'the keeper could not do its work; it tries again',
  });
  turns.start();
  return {
    async runDue() {
      // First the fills, so that the chore that reads trades from the chain finds them.
      const fills = all(loops.map((loop) => loop.runDue()));
      await fills.catch(() => {});
      await turns.tick();
      await fills;
    },
    async close() {
      const closing = turns.close();
      await Promise.all(loops.map((loop) => loop.close()));
      await closing;
    },
  };
}

/** Waits until all have ended. @throws what the first of those that failed has thrown */
async function all(work: Promise<void>[]): Promise<void> {
  const done = await Promise.allSettled(work);
  const failed = done.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
