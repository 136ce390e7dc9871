import type { Address } from '@slipway/wire';
import type { Leg, Pool } from './legs.js';

/** Pools by the token that comes in, then by the one that goes out. */
export type Pairs = ReadonlyMap<Address, ReadonlyMap<Address, readonly Leg[]>>;

export function pairsOf(pools: readonly Pool[]): Pairs {
  const pairs = new Map<Address, Map<Address, Leg[]>>();
  for (const pool of pools) {
    for (const from of [0, 1] as const) {
      const [input, output] = from === 0 ? pool.mints : [pool.mints[1], pool.mints[0]];
      const others = pairs.get(input) ?? new Map<Address, Leg[]>();
      pairs.set(input, others);
      const legs = others.get(output) ?? [];
      others.set(output, legs);
      legs.push({ pool, from });
    }
  }
  return pairs;
}

/** Tokens that have pools with both. */
export function common(pairs: Pairs, a: Address, b: Address): Address[] {
  const [ofA, ofB] = [pairs.get(a), pairs.get(b)];
  if (!ofA || !ofB) return [];
  const [few, many] = ofA.size < ofB.size ? [ofA, ofB] : [ofB, ofA];
  return [...few.keys()].filter((mint) => many.has(mint));
}
