import type { Address } from '@slipway/wire';
import type { Venue } from './venue.js';

/** Pools that cannot be traded with, each with the latest reason. */
export interface SkippedPools {
  note(pool: Address, venue: Venue, reason: string): void;
  /** Call when the pool can be traded with. */
  forget(pool: Address): void;
  /** Forgets all but these. */
  keep(pools: { has(pool: Address): boolean }): void;
  /** The number of skipped pools of a venue, by reason. */
  counts(venue: Venue): Record<string, number>;
}

export function createSkippedPools(): SkippedPools {
  const reasons = new Map<Address, { venue: Venue; reason: string }>();
  return {
    note: (pool, venue, reason) => void reasons.set(pool, { venue, reason }),
    forget: (pool) => void reasons.delete(pool),
    keep(pools) {
      for (const pool of reasons.keys()) if (!pools.has(pool)) reasons.delete(pool);
    },
    counts(venue) {
      const counts: Record<string, number> = {};
      for (const one of reasons.values()) {
        if (one.venue === venue) counts[one.reason] = (counts[one.reason] ?? 0) + 1;
      }
      return counts;
    },
  };
}
