import type { Address } from '@slipway/wire';
import { steadyNow } from '../../lib/clock.js';
import type { Leg, Pool } from './legs.js';
import { common, pairsOf } from './pairs.js';
import { onePaysLess, type Paid, type PathRequest, type Ranked, rankPaths, SIZE } from './ranking.js';

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
   * over pools that are stale at this steady time come last. Ranked once per size, and again where one of them pays
   * clearly less than it did, or from time to time: those that paid for a moment only, or while another one was moved, would
   * hide the others.
   */
  paths(request: PathRequest, now: number): readonly Path[];
  /** The same with many more that are worse, for where the best ones do not do. */
  allPaths(request: PathRequest, now: number): readonly Path[];
  /** Pools between two tokens. */
  pair(input: Address, output: Address): readonly Leg[];
  /** Tokens that have pools with both. */
  between(a: Address, b: Address): Address[];
}

/** Pairs and sizes whose paths are kept: up to 40 kB each, where many tokens lie between the two. */
const MAX_CACHED = 4_000;
/** How often a ranking is looked at again: of ten thousand pools, to make one takes a quarter of a second. */
const LOOK_MS = 5_000;
/** How often paths are ranked again where all that are listed pay as before: another one may pay more by now. */
const RENEW_MS = 10_000;
/** After each such ranking there is none for so many times as long: anybody makes them slow by pools of his own. */
const RESTS = 20;

interface Listed {
  best: readonly Path[];
  all: readonly Path[];
  paid: readonly Paid[];
  /** In steady milliseconds. */
  rankedAt: number;
  lookedAt: number;
}

/** A path over `hubs` alone is always among those to consider. `clock` measures how long a ranking takes. */
export function createMarket(
  pools: readonly Pool[],
  hubs: ReadonlySet<Address> = new Set(),
  clock: () => number = steadyNow,
): Market {
  const pairs = pairsOf(pools);
  let restsUntil = 0;
  const cache = new Map<string, Listed>();
  const pair = (input: Address, output: Address) => pairs.get(input)?.get(output) ?? [];
  const withPools = (ranked: Ranked['best']): Path[] =>
    ranked.map((mints) => ({
      mints,
      key: mints.join(' '),
      steps: mints.slice(1).map((mint, i) => pair(mints[i]!, mint)),
    }));

  function isOutdated(listed: Listed, now: number): boolean {
    if (now - listed.lookedAt < LOOK_MS) return false;
    listed.lookedAt = now;
    return onePaysLess(pairs, listed.paid, now);
  }

  function renew(key: string, request: PathRequest, size: number, now: number): Listed {
    const began = clock();
    const listed = rank(key, request, size, now);
    restsUntil = now + RESTS * (clock() - began);
    return listed;
  }

  function rank(key: string, request: PathRequest, size: number, now: number): Listed {
    const { best, all, paid, isRanked } = rankPaths({ pairs, hubs, request, amount: SIZE ** (size + 0.5), now });
    const found = { best: withPools(best), all: withPools(all), paid, rankedAt: now, lookedAt: now };
    if (cache.size >= MAX_CACHED) cache.clear();
    // If no pool is fresh, this order means nothing, and a good one may follow soon: do not cache it.
    if (isRanked) cache.set(key, found);
    return found;
  }

  function ranked(request: PathRequest, now: number): Listed {
    const size = Math.floor(Math.log(Number(request.amount)) / Math.log(SIZE));
    const key = `${request.input.mint} ${request.output.mint} ${request.mode} ${size}`;
    const known = cache.get(key);
    if (known && now - known.rankedAt >= RENEW_MS && now >= restsUntil) return renew(key, request, size, now);
    return known && !isOutdated(known, now) ? known : rank(key, request, size, now);
  }

  return {
    pools,
    pair,
    between: (a, b) => common(pairs, a, b),
    paths: (request, now) => ranked(request, now).best,
    allPaths: (request, now) => ranked(request, now).all,
  };
}
