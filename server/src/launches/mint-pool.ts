import type { Logger } from 'pino';
import type { MintFinder } from '../signer/index.js';
import { addMintNumber, countMintNumbers } from '../store/launches.js';
import type { Store } from '../store/sql.js';

/** How many mint keys with the suffix are kept ready. */
export const MINTS_READY = 20;
const PAUSE_MS = 5_000;

/** Keeps mint keys with a suffix ready: a thread searches for them whenever some are missing. */
export function startMintPool(deps: { store: Store; finder: MintFinder; suffix: string; log: Logger }) {
  const { store, finder, suffix, log } = deps;
  const closing = new AbortController();
  const { signal } = closing;

  async function fill(): Promise<void> {
    while ((await countMintNumbers(store, suffix)) < MINTS_READY) {
      const number = await finder.findMint(suffix, signal);
      await store.single((tx) => addMintNumber(tx, number, suffix));
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await fill().catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, 'could not find mint addresses; trying again');
      });
      await pause(PAUSE_MS, signal);
    }
  }
  const running = run();
  return {
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    if (signal.aborted) done();
    else signal.addEventListener('abort', done);
  });
}
