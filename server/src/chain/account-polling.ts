import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';

/** How often accounts without change notifications are read. */
const FAST_POLL_MS = 1_000;
/** How often all accounts are read, even with notifications, to catch what was missed. */
const SLOW_POLL_MS = 15_000;

export interface Polling {
  /** Polls at once, because notifications have stopped. */
  wake(): void;
  stop(): void;
}

interface PollingDeps {
  /** What is to be read now: `all`, or only what has no change notifications. */
  due(all: boolean): readonly Address[];
  steadyNow: () => number;
  refresh(addresses: readonly Address[]): Promise<unknown>;
  log: Logger;
}

/** Polls accounts without change notifications often, and all of them now and then. */
export function startPolling({ due, steadyNow, refresh, log }: PollingDeps): Polling {
  let timer: NodeJS.Timeout | undefined;
  let allDueAt = steadyNow() + SLOW_POLL_MS;
  let stopped = false;
  let failing = false;
  let running = false;

  async function tick(): Promise<void> {
    const all = steadyNow() >= allDueAt;
    if (all) allDueAt = steadyNow() + SLOW_POLL_MS;
    const addresses = due(all);
    try {
      if (addresses.length > 0) await refresh(addresses);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the watched accounts could not be read; trying again');
      failing = true;
    }
  }
  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(run, ms).unref();
  }
  async function run(): Promise<void> {
    running = true;
    await tick();
    running = false;
    schedule(FAST_POLL_MS);
  }
  schedule(FAST_POLL_MS);
  return {
    wake() {
      if (!running) schedule(0);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
