import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';

/** While nothing tells of changes, accounts are read this often. */
const FAST_POLL_MS = 1_000;
/** Even while changes are told, all are read this often, for what was missed. */
const SLOW_POLL_MS = 15_000;

export interface Polling {
  /** Polls at once: what was told of is not any more. */
  wake(): void;
  stop(): void;
}

interface PollingDeps {
  entries: ReadonlyMap<Address, { address: Address; followed: boolean }>;
  steadyNow: () => number;
  refresh(addresses: readonly Address[]): Promise<unknown>;
  log: Logger;
}

/** Reads what nobody tells of again and again, and all of it now and then. */
export function startPolling({ entries, steadyNow, refresh, log }: PollingDeps): Polling {
  let timer: NodeJS.Timeout | undefined;
  let allDueAt = steadyNow() + SLOW_POLL_MS;
  let stopped = false;
  let failing = false;
  let running = false;

  async function tick(): Promise<void> {
    const all = steadyNow() >= allDueAt;
    if (all) allDueAt = steadyNow() + SLOW_POLL_MS;
    const due = [...entries.values()].filter((entry) => all || !entry.followed).map(({ address }) => address);
    try {
      if (due.length > 0) await refresh(due);
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
