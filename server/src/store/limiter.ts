import { GrowingCache } from '../lib/growing-cache.js';
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
  /**
   * Counts a call as `weight` calls, 1 if left out. Where not all fit, those that do are counted, and it is not allowed.
   * Throws StoreUnavailable without the database, and throws for a tier that is not configured.
   */
  take(keyId: string, bucket: LimitBucket, tier: string, weight?: number): LimitDecision | Promise<LimitDecision>;
}

/** A call to be counted. */
interface Call {
  /** The calls that its window may have. */
  limit: number;
  weight: number;
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
  /** Unix milliseconds, monotonic; for the tier `unlimited`. */
  steadyNow: () => number;
}): Limiter {
  // Clients without a key are as many as there are addresses. What is dropped is only made again.
  const takers = new GrowingCache<string, (call: Call) => Promise<LimitDecision>>(MAX_TAKERS);
  const unlimited = new GrowingCache<string, SecondCount[]>(MAX_TAKERS);

  function createTaker(keyId: string, bucket: LimitBucket): (call: Call) => Promise<LimitDecision> {
    const windowSeconds = WINDOW_SECONDS[bucket];
    return groupCalls({
      maxGroup: 10_000,
      async run(group: Call[]) {
        const { limit } = group[group.length - 1]!;
        const calls = group.reduce((sum, { weight }) => sum + weight, 0);
        const window = await take(deps.store, { keyId, bucket, windowSeconds, limit, calls });
        const before = window.current - window.granted;
        let asked = 0;
        return group.map(({ weight }) => {
          asked += weight;
          const current = Math.min(before + asked, window.current);
          return {
            allowed: asked <= window.granted,
            remaining: limit - current,
            current,
            ...resetOf(window.oldestSecond, window.second, windowSeconds),
            limit,
          };
        });
      },
    });
  }

  function takeUnlimited(name: string, bucket: LimitBucket, weight: number): LimitDecision {
    const second = Math.floor(deps.steadyNow() / 1000);
    const window = (unlimited.get(name) ?? []).filter((entry) => entry.second > second - WINDOW_SECONDS[bucket]);
    const newest = window.at(-1);
    if (newest?.second === second) newest.count += weight;
    else window.push({ second, count: weight });
    unlimited.set(name, window);
    const current = window.reduce((sum, entry) => sum + entry.count, 0);
    const reset = resetOf(window[0]!.second, second, WINDOW_SECONDS[bucket]);
    return { allowed: true, remaining: UNLIMITED - current, current, ...reset, limit: UNLIMITED };
  }

  return {
    take(keyId, bucket, tier, weight = 1) {
      const name = `${bucket} ${keyId}`;
      if (tier === 'unlimited') return takeUnlimited(name, bucket, weight);
      const limits = deps.tiers[tier];
      if (!limits) return Promise.reject(new Error(`the tier ${tier} is not configured`));
      let taker = takers.get(name);
      if (!taker) {
        taker = createTaker(keyId, bucket);
        takers.set(name, taker);
      }
      return taker({ limit: bucket === 'main' ? limits.perMinute : limits.executePer10s, weight });
    },
  };
}

function resetOf(oldestSecond: number, second: number, windowSeconds: number) {
  const resetUnixSeconds = oldestSecond + windowSeconds;
  return { resetUnixSeconds, retrySeconds: Math.max(1, resetUnixSeconds - second), windowSeconds };
}
