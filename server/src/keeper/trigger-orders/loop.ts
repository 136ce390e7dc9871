import type { Logger } from 'pino';
import type { KeeperLoop } from '../index.js';
import type { TriggerKeeper } from './index.js';

const INTERVAL_MS = 1_000;
/** A copy that is told of a price has to read it first. */
const SOON_MS = 100;

/** Ticks every second, and soon after prices have been set. */
export async function startTriggerLoop(deps: {
  keeper: TriggerKeeper;
  /** Calls the listener when prices have changed; the answer ends it. */
  onPrices: (listener: () => void) => Promise<() => Promise<void>>;
  log: Logger;
}): Promise<KeeperLoop> {
  const { keeper, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let ticking = false;
  let closed = false;

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(run, milliseconds);
  }

  function run(): void {
    ticking = true;
    keeper
      .tick()
      .catch((error: Error) => log.warn({ reason: error.message }, 'trigger orders were not looked at; trying again'))
      .finally(() => {
        ticking = false;
        schedule(INTERVAL_MS);
      });
  }

  const unlisten = await deps.onPrices(() => {
    if (!ticking) schedule(SOON_MS);
  });
  schedule(0);

  return {
    runDue: () => keeper.runDue(),
    async close() {
      closed = true;
      clearTimeout(timer);
      await unlisten();
      await keeper.close();
    },
  };
}
