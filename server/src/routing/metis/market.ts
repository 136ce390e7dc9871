import type { Address } from '@slipway/wire';
import type { PoolState, Side, Venue } from './venue.js';

/** A pool that is watched. */
export interface Pool {
  readonly address: Address;
  readonly venue: Venue;
  readonly mints: readonly [Address, Address];
  /** Its own account, and the others in the venue's order. */
  readonly accounts: readonly Address[];
  /** What it is by bytes that are fresh at this steady time; undefined where they are not, or it cannot be traded with. */
  state(now: number): PoolState | undefined;
}

/** A pool, used in one direction. */
export interface Leg {
  pool: Pool;
  from: Side;
}

/** A way from one token to another: for each step, the pools that could do it, the deepest first. */
export interface Path {
  mints: readonly Address[];
  steps: readonly (readonly Leg[])[];
}

/** Which tokens can be had for which, over which pools. Made anew when the set of pools changes. */
export interface Market {
  readonly pools: readonly Pool[];
  /** Ways of one to three steps, those over the deepest pools first of each length. */
  paths(input: Address, output: Address): readonly Path[];
  /** Pools between two tokens, the deepest first. */
  pair(input: Address, output: Address): readonly Leg[];
}

/** Ways over one token between, and over two, that are looked at. */
const MAX_TWO_STEP = 8;
const MAX_THREE_STEP = 12;
/** Neighbors of either end from which the three-step ways are made. */
const MAX_NEIGHBORS = 32;
const MAX_CACHED = 20_000;

interface Neighbor {
  mint: Address;
  /** What the pools between hold of the token at the end, for comparing neighbors of that token. */
  depth: number;
}

/** `now` is steady time, for the depths of the pools. */
export function createMarket(pools: readonly Pool[], now: number): Market {
  const pairs = pairsOf(pools, now);
  const neighbors = new Map<Address, Neighbor[]>();
  const cache = new Map<string, readonly Path[]>();
  const pair = (input: Address, output: Address) => pairs.get(input)?.get(output)?.legs ?? [];

  function neighborsOf(mint: Address): Neighbor[] {
    const known = neighbors.get(mint);
    if (known) return known;
    const found = [...(pairs.get(mint) ?? [])].map(([other, { depth }]) => ({ mint: other, depth }));
    found.sort((a, b) => b.depth - a.depth);
    neighbors.set(mint, found);
    return found;
  }

  function findPaths(input: Address, output: Address): Path[] {
    const starts = neighborsOf(input);
    const ends = neighborsOf(output);
    const deepestStart = starts[0]?.depth || 1;
    const deepestEnd = ends[0]?.depth || 1;
    const endDepth = new Map(ends.map(({ mint, depth }) => [mint, depth / deepestEnd]));
    const twoSteps: { mints: Address[]; depth: number }[] = [];
    const threeSteps: { mints: Address[]; depth: number }[] = [];
    for (const { mint, depth } of starts) {
      const end = endDepth.get(mint);
      if (end !== undefined)
        twoSteps.push({ mints: [input, mint, output], depth: Math.min(depth / deepestStart, end) });
    }
    for (const first of starts.slice(0, MAX_NEIGHBORS)) {
      for (const second of ends.slice(0, MAX_NEIGHBORS)) {
        if (first.mint === second.mint || first.mint === output || second.mint === input) continue;
        if (!pairs.get(first.mint)?.has(second.mint)) continue;
        const depth = Math.min(first.depth / deepestStart, second.depth / deepestEnd);
        threeSteps.push({ mints: [input, first.mint, second.mint, output], depth });
      }
    }
    const ways = [
      ...(pair(input, output).length > 0 ? [[input, output]] : []),
      ...deepest(twoSteps, MAX_TWO_STEP),
      ...deepest(threeSteps, MAX_THREE_STEP),
    ];
    return ways.map((mints) => ({ mints, steps: mints.slice(1).map((mint, i) => pair(mints[i]!, mint)) }));
  }

  return {
    pools,
    pair,
    paths(input, output) {
      const key = `${input} ${output}`;
      const known = cache.get(key);
      if (known) return known;
      const found = findPaths(input, output);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(key, found);
      return found;
    },
  };
}

function deepest(ways: { mints: Address[]; depth: number }[], most: number): Address[][] {
  return ways
    .sort((a, b) => b.depth - a.depth)
    .slice(0, most)
    .map(({ mints }) => mints);
}

interface Pair {
  legs: Leg[];
  /** What the pools hold of the token that comes in. */
  depth: number;
}

function pairsOf(pools: readonly Pool[], now: number): Map<Address, Map<Address, Pair>> {
  const pairs = new Map<Address, Map<Address, Pair>>();
  const held = new Map<Leg, number>();
  for (const pool of pools) {
    const reserves = pool.state(now)?.reserves ?? [0, 0];
    for (const from of [0, 1] as const) {
      const leg = { pool, from };
      held.set(leg, reserves[from]);
      const [input, output] = from === 0 ? pool.mints : [pool.mints[1], pool.mints[0]];
      const others = pairs.get(input) ?? new Map<Address, Pair>();
      pairs.set(input, others);
      const pair = others.get(output) ?? { legs: [], depth: 0 };
      others.set(output, pair);
      pair.legs.push(leg);
      pair.depth += reserves[from];
    }
  }
  for (const others of pairs.values()) {
    for (const { legs } of others.values()) legs.sort((a, b) => held.get(b)! - held.get(a)!);
  }
  return pairs;
}
