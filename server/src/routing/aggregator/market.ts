import type { Address } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import { bestOut, type LiveLeg, leastIn, liveLegs } from './legs.js';
import type { PoolState, Side, Venue } from './venue.js';

/** A watched pool. */
export interface Pool {
  readonly address: Address;
  readonly venue: Venue;
  readonly mints: readonly [Address, Address];
  /** Its own account, then the others in the venue's order. */
  readonly accounts: readonly Address[];
  /** Its state by bytes that are fresh at this steady time; undefined if they are stale or it cannot be traded with. */
  state(now: number): PoolState | undefined;
  /** Why nobody can trade with it by bytes that are fresh at this time; undefined if they are stale or somebody can. */
  refusal(now: number): string | undefined;
}

/** A pool, used in one direction. */
export interface Leg {
  pool: Pool;
  from: Side;
}

/** A path from one token to another, with the candidate pools of each step. */
export interface Path {
  mints: readonly Address[];
  /** Equal for paths over the same tokens. */
  key: string;
  steps: readonly (readonly Leg[])[];
}

/** Which tokens trade for which, and over which pools. Rebuilt after each search for pools. */
export interface Market {
  readonly pools: readonly Pool[];
  /**
   * The paths of one to three steps that are best for an amount of about this size, best first for each length; those
   * over pools that are stale at this steady time come last. Ranked once per size.
   */
  paths(request: PathRequest, now: number): readonly Path[];
  /** The same with many more that are worse, for where the best ones do not do. */
  allPaths(request: PathRequest, now: number): readonly Path[];
  /** Pools between two tokens. */
  pair(input: Address, output: Address): readonly Leg[];
  /** Tokens that have pools with both. */
  between(a: Address, b: Address): Address[];
}

interface PathRequest extends Pick<QuoteRequest, 'mode' | 'amount'> {
  input: { mint: Address };
  output: { mint: Address };
}

/** The most paths of two and of three steps to consider, and where those do not do. */
const MOST = { two: 8, three: 12 };
const MOST_OF_ALL = { two: 32, three: 64 };
/** Amounts of one size differ by at most this factor. */
const SIZE = 8;
/** Pairs and sizes whose paths are kept: up to 40 kB each, where many tokens lie between the two. */
const MAX_CACHED = 4_000;

type Pairs = ReadonlyMap<Address, ReadonlyMap<Address, readonly Leg[]>>;

export function createMarket(pools: readonly Pool[]): Market {
  const pairs = pairsOf(pools);
  const cache = new Map<string, Ranked>();
  const pair = (input: Address, output: Address) => pairs.get(input)?.get(output) ?? [];
  const withPools = (ranked: Address[][]): Path[] =>
    ranked.map((mints) => ({
      mints,
      key: mints.join(' '),
      steps: mints.slice(1).map((mint, i) => pair(mints[i]!, mint)),
    }));

  function ranked(request: PathRequest, now: number): Ranked {
    const size = Math.floor(Math.log(Number(request.amount)) / Math.log(SIZE));
    const key = `${request.input.mint} ${request.output.mint} ${request.mode} ${size}`;
    const known = cache.get(key);
    if (known) return known;
    const { best, all, isRanked } = rankPaths({ pairs, request, amount: SIZE ** (size + 0.5), now });
    const found = { best: withPools(best), all: withPools(all) };
    if (cache.size >= MAX_CACHED) cache.clear();
    // If no pool is fresh, this order means nothing, and a good one may follow soon: do not cache it.
    if (isRanked) cache.set(key, found);
    return found;
  }

  return {
    pools,
    pair,
    between: (a, b) => common(pairs, a, b),
    paths: (request, now) => ranked(request, now).best,
    allPaths: (request, now) => ranked(request, now).all,
  };
}

interface Ranked {
  best: readonly Path[];
  all: readonly Path[];
}

function pairsOf(pools: readonly Pool[]): Pairs {
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

function common(pairs: Pairs, a: Address, b: Address): Address[] {
  const [ofA, ofB] = [pairs.get(a), pairs.get(b)];
  if (!ofA || !ofB) return [];
  const [few, many] = ofA.size < ofB.size ? [ofA, ofB] : [ofB, ofA];
  return [...few.keys()].filter((mint) => many.has(mint));
}

// ---- ranking ----------------------------------------------------------------------------------------------------------

interface Ranking {
  pairs: Pairs;
  request: PathRequest;
  /** Stands for all amounts of its size. */
  amount: number;
  now: number;
}

interface RankedPath {
  mints: Address[];
  worth: number;
}

/**
 * Ranks by what comes out or must go in, never by a pool's reserves: it costs nothing to leave tokens in a pool that
 * nobody wants to trade with. An exact output is followed back from its end. Pools that end before this amount are
 * ranked by what they do for a part of it: they may take a smaller one of its size, or share it.
 */
function rankPaths({ pairs, request, amount, now }: Ranking): {
  best: Address[][];
  all: Address[][];
  isRanked: boolean;
} {
  const isIn = request.mode === 'exact-in';
  const [near, far] = isIn ? [request.input.mint, request.output.mint] : [request.output.mint, request.input.mint];
  const states = new Map<readonly Leg[], LiveLeg[]>();
  const carried = (from: Address, to: Address, amount: number): number => {
    const legs = (isIn ? pairs.get(from)?.get(to) : pairs.get(to)?.get(from)) ?? [];
    const live = states.get(legs) ?? liveLegs(legs, now);
    states.set(legs, live);
    if (isIn) return bestOut(live, amount) || bestOut(live, amount / SIZE);
    const needed = leastIn(live, amount);
    return Number.isFinite(needed) ? needed : leastIn(live, amount / SIZE);
  };
  const twoSteps: RankedPath[] = [];
  const threeSteps: RankedPath[] = [];
  const add = (ranked: RankedPath[], mints: Address[], end: number) => {
    const worth = isIn ? end : -end;
    ranked.push({ mints, worth: worth === 0 ? Number.NEGATIVE_INFINITY : worth });
  };
  for (const first of pairs.get(near)?.keys() ?? []) {
    if (first === far) continue;
    const toFirst = carried(near, first, amount);
    if (pairs.get(first)!.has(far)) add(twoSteps, [near, first, far], carried(first, far, toFirst));
    for (const second of common(pairs, first, far)) {
      if (second === near) continue;
      add(threeSteps, [near, first, second, far], carried(second, far, carried(first, second, toFirst)));
    }
  }
  const direct = pairs.get(near)?.has(far) ? [[near, far]] : [];
  const [two, three] = [sorted(twoSteps), sorted(threeSteps)];
  const upTo = (most: typeof MOST) => {
    const ranked = [...direct, ...two.slice(0, most.two), ...three.slice(0, most.three)];
    return isIn ? ranked : ranked.map((mints) => mints.toReversed());
  };
  const isRanked = [...states.values()].some((live) => live.length > 0);
  return { best: upTo(MOST), all: upTo(MOST_OF_ALL), isRanked };
}

function sorted(ranked: RankedPath[]): Address[][] {
  // Not by subtraction: -Infinity minus -Infinity is NaN.
  return ranked.sort((a, b) => (a.worth === b.worth ? 0 : a.worth < b.worth ? 1 : -1)).map(({ mints }) => mints);
}
