import { LRUCache } from 'lru-cache';
import { take } from './limits.js';
import { groupCalls } from './postgres/group-calls.js';
import type { Store } from './sql.js';

type LimitBucket = 'main' | 'execute';

/** The calls allowed for a tier: per 60 seconds in general, per 10 seconds for the execute and submit paths. */
interface TierLimits {
  perMinute: number;
  executePer10s: number;
}

interface LimitDecision {
  allowed: boolean;
  /** Calls left in the window. */
  remaining: number;
  /** Calls in the window, this one included if it is allowed. */
  current: number;
  /** Unix second at which the oldest call leaves the window. */
  resetUnixSeconds: number;
  /** Seconds until then, at least 1. */
  retrySeconds: number;
  /** The calls that the window may have, and its length. */
  limit: number;
  windowSeconds: number;
}

interface Limiter {
  /** Counts one call. Throws StoreUnavailable without the database, and throws for a tier that is not configured. */
  take(keyId: string, bucket: LimitBucket, tier: string): LimitDecision | Promise<LimitDecision>;
}

interface SecondCount {
  second: number;
  count: number;
}

const WINDOW_SECONDS: Record<LimitBucket, number> = { main: 60, execute: 10 };

const MAX_TAKERS = 10_000;

const UNLIMITED = 2_147_483_647;

/**
 * Sliding windows in the database, shared by all instances. Calls of one key and bucket that arrive while one is being
 * counted are counted together by the next statement. The tier `unlimited` is counted in memory only.
 */
export function createLimiter(deps: {
  store: Store;
  tiers: Readonly<Record<string, TierLimits>>;
  /** Unix milliseconds, monotonic. */
  steadyNow: () => number;
}): Limiter {
  // Clients without a key are as many as there are addresses. What is dropped is only made again.
  const takers = new LRUCache<string, (limit: number) => Promise<LimitDecision>>({ max: MAX_TAKERS });
  const unlimited = new LRUCache<string, SecondCount[]>({ max: MAX_TAKERS });
  const currentSecond = () => Math.floor(deps.steadyNow() / 1000);

  function createTaker(keyId: string, bucket: LimitBucket): (limit: number) => Promise<LimitDecision> {
    const windowSeconds = WINDOW_SECONDS[bucket];
    return groupCalls({
      maxGroup: 10_000,
      async run(limits: number[]) {
        const limit = limits[limits.length - 1]!;
        const second = currentSecond();
        const window = await take(deps.store, { keyId, bucket, second, windowSeconds, limit, calls: limits.length });
        const before = window.current - window.granted;
        return limits.map((_, index) => {
          const current = Math.min(before + index + 1, window.current);
          return {
            allowed: index < window.granted,
            remaining: limit - current,
            current,
            ...resetOf(window.oldestSecond, second, windowSeconds),
            limit,
          };
        });
      },
    });
  }

  function takeUnlimited(name: string, bucket: LimitBucket): LimitDecision {
    const second = currentSecond();
    const window = (unlimited.get(name) ?? []).filter((entry) => entry.second > second - WINDOW_SECONDS[bucket]);
    const newest = window.at(-1);
    if (newest?.second === second) newest.count += 1;
    else window.push({ second, count: 1 });
    unlimited.set(name, window);
    const current = window.reduce((sum, entry) => sum + entry.count, 0);
    const reset = resetOf(window[0]!.second, second, WINDOW_SECONDS[bucket]);
    return { allowed: true, remaining: UNLIMITED - current, current, ...reset, limit: UNLIMITED };
  }

  return {
    take(keyId, bucket, tier) {
      const name = `${bucket} ${keyId}`;
      if (tier === 'unlimited') return takeUnlimited(name, bucket);
      const limits = deps.tiers[tier];
      if (!limits) return Promise.reject(new Error(`the tier ${tier} is not configured`));
      let taker = takers.get(name);
      if (!taker) {
        taker = createTaker(keyId, bucket);
        takers.set(name, taker);
      }
      return taker(bucket === 'main' ? limits.perMinute : limits.executePer10s);
    },
  };
}

function resetOf(oldestSecond: number, second: number, windowSeconds: number) {
  const resetUnixSeconds = oldestSecond + windowSeconds;
  return { resetUnixSeconds, retrySeconds: Math.max(1, resetUnixSeconds - second), windowSeconds };
}
