import { mock } from 'node:test';
import type { Guest } from '../lib/places.js';
import { createCallBudget, PURPOSES, type Purpose, type Rpc } from './index.js';

export const LIMIT = 100;
/** Whoever refuses both limits all that he is asked. */
export const COMMON = ['getAccountInfo', 'getMultipleAccounts'] as const;

/** An RPC behind a budget, on a clock that only the test moves. */
export function setUp(answer: (purpose: Purpose, method: string) => unknown = () => 1, limit = LIMIT) {
  let now = 1_000_000;
  let called = 0;
  const started: { at: number; purpose: string }[] = [];
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [purpose]: [Purpose]): Promise<T> {
      started.push({ at: now, purpose });
      return answer(purpose, method) as T;
    },
  };
  const budget = createCallBudget({ rpc, callsPerSecond: limit, steadyNow: () => now });
  const rpcs = Object.fromEntries(PURPOSES.map((purpose) => [purpose, budget.rpcFor(purpose)])) as Record<Purpose, Rpc>;
  const outcomes: Promise<unknown>[] = [];
  return {
    budget,
    /** Calls for a caller. */
    callFor(caller: Guest, purpose: Purpose, times = 1) {
      const rpc = budget.rpcFor(purpose, caller);
      return Array.from({ length: times }, () =>
        rpc.call('getAccountInfo', [purpose]).catch((error: unknown) => error),
      );
    },
    /** Calls of this method, or of the common ones by turns; each resolves with the error if it fails. */
    call(purpose: Purpose, times = 1, method?: string) {
      const calls = Array.from({ length: times }, () =>
        rpcs[purpose].call(method ?? COMMON[++called % 2]!, [purpose]).catch((error) => error),
      );
      outcomes.push(...calls);
      return calls;
    },
    async pass(milliseconds: number) {
      for (let step = 0; step < milliseconds; step += 10) {
        now += 10;
        mock.timers.tick(10);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** Time passes, and no timer is told. */
    lag(milliseconds: number) {
      now += milliseconds;
    },
    now: () => now,
    startedOf: (purpose: Purpose) => started.filter((call) => call.purpose === purpose).length,
    /** The most calls that started within any second. */
    busiestSecond: () =>
      Math.max(...started.map(({ at }) => started.filter((call) => call.at >= at && call.at < at + 1_000).length)),
  };
}
