import type { Address } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import { bestOut, type LiveLeg, leastIn, liveLegs } from './legs.js';
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

/** A way from one token to another: for each step, the pools that could do it. */
export interface Path {
  mints: readonly Address[];
  steps: readonly (readonly Leg[])[];
}

/** Which tokens can be had for which, over which pools. Made anew when pools have been looked for. */
export interface Market {
  readonly pools: readonly Pool[];
  /**
   * Ways of one to three steps that do most for an amount of about this size, the best first of each length; those over
   * pools that are not fresh at this steady time come last. Ranked once for each size.
   */
  paths(request: PathRequest, now: number): readonly Path[];
  /** Pools between two tokens. */
  pair(input: Address, output: Address): readonly Leg[];
  /** Tokens that have pools with both. */
  between(a: Address, b: Address): Address[];
}

interface PathRequest extends Pick<QuoteRequest, 'mode' | 'amount'> {
  input: { mint: Address };
  output: { mint: Address };
}

/** Ways over one token between, and over two, that are looked at. */
const MAX_TWO_STEP = 8;
const MAX_THREE_STEP = 12;
/** Amounts of one size are at most so many times each other. */
const SIZE = 8;
const MAX_CACHED = 20_000;

type Pairs = ReadonlyMap<Address, ReadonlyMap<Address, readonly Leg[]>>;

export function createMarket(pools: readonly Pool[]): Market {
  const pairs = pairsOf(pools);
  const cache = new Map<string, readonly Path[]>();
  const pair = (input: Address, output: Address) => pairs.get(input)?.get(output) ?? [];

  return {
    pools,
    pair,
    between: (a, b) => common(pairs, a, b),
    paths(request, now) {
      const size = Math.floor(Math.log(Number(request.amount)) / Math.log(SIZE));
      const key = `${request.input.mint} ${request.output.mint} ${request.mode} ${size}`;
      const known = cache.get(key);
      if (known) return known;
      const { ways, isRanked } = rankedWays({ pairs, request, amount: SIZE ** (size + 0.5), now });
      const found = ways.map((mints) => ({ mints, steps: mints.slice(1).map((mint, i) => pair(mints[i]!, mint)) }));
      if (cache.size >= MAX_CACHED) cache.clear();
      // Where no pool is fresh, the order says nothing, and may be a good one soon.
      if (isRanked) cache.set(key, found);
      return found;
    },
  };
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

interface Way {
  mints: Address[];
  worth: number;
}

/**
 * By what comes out or must go in, and never by what lies in the pools: to let tokens lie in a pool that nobody wants
 * to trade with costs nothing. An exact output is followed back from its end.
 */
function rankedWays({ pairs, request, amount, now }: Ranking): { ways: Address[][]; isRanked: boolean } {
  const isIn = request.mode === 'exact-in';
  const [near, far] = isIn ? [request.input.mint, request.output.mint] : [request.output.mint, request.input.mint];
  const states = new Map<readonly Leg[], LiveLeg[]>();
  const carried = (from: Address, to: Address, amount: number): number => {
    const legs = (isIn ? pairs.get(from)?.get(to) : pairs.get(to)?.get(from)) ?? [];
    const live = states.get(legs) ?? liveLegs(legs, now);
    states.set(legs, live);
    return isIn ? bestOut(live, amount) : leastIn(live, amount);
  };
  const twoSteps: Way[] = [];
  const threeSteps: Way[] = [];
  const add = (ways: Way[], mints: Address[], end: number) => {
    const worth = isIn ? end : -end;
    ways.push({ mints, worth: worth === 0 ? Number.NEGATIVE_INFINITY : worth });
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
  const ways = [
    ...(pairs.get(near)?.has(far) ? [[near, far]] : []),
    ...best(twoSteps, MAX_TWO_STEP),
    ...best(threeSteps, MAX_THREE_STEP),
  ];
  const isRanked = [...states.values()].some((live) => live.length > 0);
  return { ways: isIn ? ways : ways.map((mints) => mints.toReversed()), isRanked };
}

function best(ways: Way[], most: number): Address[][] {
  // Not by a difference: that of two that are worth nothing is no number.
  return ways
    .sort((a, b) => (a.worth === b.worth ? 0 : a.worth < b.worth ? 1 : -1))
    .slice(0, most)
    .map(({ mints }) => mints);
}
