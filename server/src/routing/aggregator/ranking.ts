// The paths between two tokens that are best for amounts of one size.
import type { Address } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import { type Effort, shareOf } from './effort.js';
import { bestOut, type Leg, type LiveLeg, leastIn, liveLegs, mostPaid, wholeIn, wholeOut } from './legs.js';
import { common, type Pairs } from './pairs.js';

export interface PathRequest extends Pick<QuoteRequest, 'mode' | 'amount'> {
  input: { mint: Address };
  output: { mint: Address };
}

/** Amounts of one size differ by at most this factor. */
export const SIZE = 8;
/** The most paths of two and of three steps to consider, and where those do not do. */
const MOST = { two: 8, three: 12 };
const MOST_OF_ALL = { two: 32, three: 64 };
/** Beside these, so many over hubs alone: nobody makes those up. */
const MOST_OVER_HUBS = 4;
/** For each place in a list, so many paths are looked at, and those that pay the least are left out. */
const LOOKS_A_PLACE = 4;
/** To each token so many ways in two steps are followed to the end, as many as are looked at of all. */
const MOST_TO_A_TOKEN = MOST_OF_ALL.three * LOOKS_A_PLACE;
/** A path that has lost such a share (1/n) pays clearly less. */
const CLEARLY = 200n;
/** What asking for what pools pay may take of one ranking, in microseconds, roughly; each pair has a share of it. */
const MAX_EFFORT = 200_000;

export interface Ranking {
  pairs: Pairs;
  hubs: ReadonlySet<Address>;
  request: PathRequest;
  /** Stands for all amounts of its size. */
  amount: number;
  now: number;
}

/** What a path paid for an amount when it was ranked. */
export interface Paid {
  mints: readonly Address[];
  offered: bigint;
  out: bigint;
}

export interface Ranked {
  /** The tokens of each path. */
  best: readonly (readonly Address[])[];
  all: readonly (readonly Address[])[];
  /** Of the best of several steps, those that paid anything. */
  paid: readonly Paid[];
  /** False if no pool was fresh. */
  isRanked: boolean;
}

interface RankedPath {
  mints: Address[];
  /** By estimate; of what comes out, or of what must go in as a negative number. */
  worth: number;
}

const WORTHLESS = Number.NEGATIVE_INFINITY;
/** The greatest u64 that a float holds. */
const MOST_OFFERED = 2 ** 64 - 2 ** 11;

/**
 * Ranks by what comes out or must go in, never by a pool's reserves: it costs nothing to leave tokens in a pool that
 * nobody wants to trade with. An exact output is followed back from its end. Pools that end before this amount are
 * ranked by what they do for a part of it: they may take a smaller one of its size, or share it.
 */
export function rankPaths({ pairs, hubs, request, amount, now }: Ranking): Ranked {
  const isIn = request.mode === 'exact-in';
  const [near, far] = isIn ? [request.input.mint, request.output.mint] : [request.output.mint, request.input.mint];
  const states = new Map<readonly Leg[], LiveLeg[]>();
  const liveOf = (from: Address, to: Address): LiveLeg[] => {
    const legs = pairs.get(from)?.get(to) ?? [];
    const live = states.get(legs) ?? liveLegs(legs, now);
    states.set(legs, live);
    return live;
  };
  const carried = (from: Address, to: Address, amount: number): number => {
    const live = isIn ? liveOf(from, to) : liveOf(to, from);
    if (isIn) return wholeOut(bestOut(live, amount)) || wholeOut(bestOut(live, amount / SIZE));
    const needed = leastIn(live, amount);
    return wholeIn(Number.isFinite(needed) ? needed : leastIn(live, amount / SIZE) * SIZE);
  };
  const worthOf = (end: number) => (end === 0 ? WORTHLESS : isIn ? end : -end);
  const twoSteps: RankedPath[] = [];
  const threeSteps: RankedPath[] = [];
  const add = (ranked: RankedPath[], mints: Address[], end: number) => {
    ranked.push({ mints: isIn ? mints : mints.reverse(), worth: worthOf(end) });
  };
  const toSecond = new Map<Address, { first: Address; amount: number; worth: number }[]>();
  for (const first of pairs.get(near)?.keys() ?? []) {
    if (first === far) continue;
    const toFirst = carried(near, first, amount);
    if (pairs.get(first)!.has(far)) add(twoSteps, [near, first, far], carried(first, far, toFirst));
    for (const second of common(pairs, first, far)) {
      if (second === near) continue;
      const ways = toSecond.get(second) ?? [];
      toSecond.set(second, ways);
      const reached = carried(first, second, toFirst);
      ways.push({ first, amount: reached, worth: worthOf(reached) });
    }
  }
  // They go on over the same pools: what brings less there brings less in the end.
  for (const [second, ways] of toSecond) {
    const most = ways.length > MOST_TO_A_TOKEN ? ways.sort(byWorth).slice(0, MOST_TO_A_TOKEN) : ways;
    const overHubs = hubs.has(second) ? ways.filter(({ first }) => hubs.has(first)) : [];
    for (const { first, amount } of new Set([...most, ...overHubs]))
      add(threeSteps, [near, first, second, far], carried(second, far, amount));
  }
  const paid = paidOver(liveOf);
  const paidBy = ({ mints, worth }: RankedPath): Paid => {
    const offered = BigInt(Math.round(Math.min(isIn ? amount : -worth, MOST_OFFERED)));
    return { mints, offered, out: paid(mints, offered) };
  };
  const paidWorth = (path: RankedPath): number => {
    const { worth } = path;
    if (worth === WORTHLESS) return worth;
    const out = Number(paidBy(path).out);
    return out === 0 ? WORTHLESS : isIn ? out : (worth * amount) / out;
  };
  const isOverHubs = ({ mints }: RankedPath) => mints.slice(1, -1).every((mint) => hubs.has(mint));
  const [two, three] = [twoSteps.sort(byWorth), threeSteps.sort(byWorth)];
  const direct = pairs.get(near)?.has(far) ? [[request.input.mint, request.output.mint]] : [];
  const upTo = (most: typeof MOST): RankedPath[] => {
    const listed = [...bestPaid(two, most.two, paidWorth), ...bestPaid(three, most.three, paidWorth)];
    for (const all of [two, three])
      listed.push(
        ...bestPaid(all.filter(isOverHubs), MOST_OVER_HUBS, paidWorth).filter((path) => !listed.includes(path)),
      );
    return listed;
  };
  const mintsOf = (listed: RankedPath[]) => [...direct, ...listed.map(({ mints }) => mints)];
  const best = upTo(MOST);
  const isRanked = [...states.values()].some((live) => live.length > 0);
  return {
    best: mintsOf(best),
    all: mintsOf(upTo(MOST_OF_ALL)),
    paid: best
      .filter(({ worth }) => worth !== WORTHLESS)
      .map(paidBy)
      .filter(({ out }) => out > 0n),
    isRanked,
  };
}

/** Whether one of the paths pays clearly less now. */
export function onePaysLess(pairs: Pairs, paths: readonly Paid[], now: number): boolean {
  const states = new Map<string, LiveLeg[]>();
  const paid = paidOver((from, to) => {
    const key = `${from} ${to}`;
    const live = states.get(key) ?? liveLegs(pairs.get(from)?.get(to) ?? [], now);
    states.set(key, live);
    return live;
  });
  return paths.some(({ mints, offered, out }) => paid(mints, offered) * CLEARLY < out * (CLEARLY - 1n));
}

// Not by subtraction: -Infinity minus -Infinity is NaN.
const byWorth = (a: { worth: number }, b: { worth: number }) => (a.worth === b.worth ? 0 : a.worth < b.worth ? 1 : -1);

/** What the best pools of each step of a path pay, exactly. */
function paidOver(liveOf: (from: Address, to: Address) => LiveLeg[]) {
  const known = new Map<readonly LiveLeg[], Map<bigint, bigint>>();
  const effort: Effort = { left: MAX_EFFORT };
  const paid = (legs: LiveLeg[], amount: bigint): bigint => {
    const ofLegs = known.get(legs) ?? new Map<bigint, bigint>();
    known.set(legs, ofLegs);
    const most = (of: bigint) => mostPaid(legs, of, shareOf(effort));
    const last = ofLegs.get(amount) ?? (most(amount) || most(amount / BigInt(SIZE)));
    ofLegs.set(amount, last);
    return last;
  };
  return (mints: readonly Address[], input: bigint): bigint =>
    mints.slice(1).reduce((amount, mint, i) => (amount > 0n ? paid(liveOf(mints[i]!, mint), amount) : amount), input);
}

/**
 * The best by what they pay, which is no more than their estimates: a list of what only looks good would have no place
 * for what is.
 */
function bestPaid(
  sorted: readonly RankedPath[],
  most: number,
  paidWorth: (path: RankedPath) => number,
): readonly RankedPath[] {
  const listed: { path: RankedPath; worth: number }[] = [];
  for (const path of sorted.slice(0, most * LOOKS_A_PLACE)) {
    if (listed.length >= most && listed[most - 1]!.worth >= path.worth) break;
    listed.push({ path, worth: paidWorth(path) });
    listed.sort(byWorth);
  }
  return listed.slice(0, most).map(({ path }) => path);
}
