import type { Address } from '@slipway/wire';
import { GrowingCache } from '../../lib/growing-cache.js';

const MOST_KNOWN = 1_000;
const REST_MS = { first: 60_000, longest: 60 * 60_000 };

/**
 * Pools over which fills have failed on the chain: for a minute those of all orders leave one out where others do as well, then
 * for twice as long where it does so again, up to an hour. Of this process alone, and in its memory.
 */
export class FailingPools {
  readonly #rests = new GrowingCache<Address, { until: number; ms: number }>(MOST_KNOWN);
  readonly #steadyNow: () => number;

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  blame(pool: Address): void {
    const now = this.#steadyNow();
    const last = this.#rests.get(pool);
    // Fills that were under way together tell the same.
    if (last && now < last.until) return;
    const isAgain = last && now < last.until + REST_MS.longest;
    const ms = isAgain ? Math.min(2 * last.ms, REST_MS.longest) : REST_MS.first;
    this.#rests.set(pool, { until: now + ms, ms });
  }

  resting(): Set<Address> {
    const now = this.#steadyNow();
    const resting = [...this.#rests.entries()].filter(([, { until }]) => now < until);
    return new Set(resting.map(([pool]) => pool));
  }
}
