import type { Logger } from 'pino';
import type { LimitOrderKeeper } from './index.js';

export interface LimitOrderLoop {
  /** Goes on until nothing more can be done. */
  runDue(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 2_000;
/** While the market moves all the time, orders are looked at no more often. */
const LEAST_MS = 250;

/** Has the orders looked at every two seconds, and soon after the market has moved. */
export function startLimitOrderLoop(deps: {
  keeper: LimitOrderKeeper;
  onMarketChange: (listener: () => void) => void;
  log: Logger;
}): LimitOrderLoop {
  const { keeper, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let moved = false;
  let running = false;
  let failing = false;
  let closed = false;

  async function run(): Promise<void> {
    running = true;
    moved = false;
    try {
      await keeper.tick();
      failing = false;
    } catch (error) {
      if (!failing && !closed)
        log.warn({ reason: (error as Error).message }, 'open limit orders cannot be read; trying again');
      failing = true;
    }
    running = false;
    schedule(moved ? LEAST_MS : INTERVAL_MS);
  }
  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void run(), ms);
  }

  deps.onMarketChange(() => {
    if (moved) return;
    moved = true;
    if (!running) schedule(LEAST_MS);
  });
  schedule(0);
  return {
    runDue: () => keeper.finish(),
    async close() {
      closed = true;
      clearTimeout(timer);
      await keeper.close();
    },
  };
}
