import type { Address } from '@slipway/wire';
import { bestRate, mostOut, mostUpTo, partOf, split, type Way, WORTH_A_POOL } from './deal.js';
import { type Effort, isSpent, shareOf, spend } from './effort.js';
import { type EndingLeg, endingLeg, filledWays, lessenings, nearlyFilled, outOf, toppedUp } from './ends.js';
import {
  better,
  calculate,
  discounted,
  type Estimate,
  type Found,
  keptOf,
  type Room,
  type Scored,
  type SearchOptions,
  scored,
} from './found.js';
import { type LiveLeg, mostFor, wholeOut } from './legs.js';
import { baseOf, betweenOf, lengthsOf, planOf } from './path-lengths.js';
import { ALL_BPS, type Part } from './plan.js';
import { noteShort } from './short.js';

/** Pools of one kind that a step is tried with: so many that are best for all of the amount, and for each part of it. */
const MAX_OF_A_KIND = 3;
/** Parts of the amount, as 1/n, that they are chosen by. */
const PARTS = [1, 3, 8, 25, 100] as const;
/** Chunks of a split: finer than usual, because pools that end may take no large one. */
const CHUNKS = 50;
/** Of these, the ones that a step is split over in threes. */
const MAX_FOR_THREES = 9;
/** The most ways to begin or to continue a route that are looked into, over all paths. */
const MAX_LOOKS = 3_000;
/**
 * What they may take, in microseconds, roughly: where nothing is found that ends it, there are millions of ways over fifty pools
 * that end, which anybody makes of tokens of his own. Two hundred honest pools take a third of it.
 */
const MAX_EFFORT = 80_000;
/** Of that, a split that is tried, and a way that is looked at again for another amount. */
const SPLIT = 30;
const WAY = 1;
/** And a plan that is measured: it is built into a transaction, unless it has been before. */
const MEASURE = 500;
/** What a split may have more than one in hundredths: up to three pools take another hundredth of the amount. */
const TOPPED_UP = 0.03;
/** An amount that is less by a smaller share is split the same way. */
const SAME = 0.01;
/** What is better by less is not looked for. */
const NEARLY = 1.0001;

/**
 * The best plan that fits into a transaction and that can be calculated, where the best ones of all cannot. Each path's
 * steps are tried with pools of every kind, alone and split, best first; what leaves no room for the rest of its path, or
 * cannot be better than what is known, is not followed. The first of the `paths` are the best.
 */
export function fitting(paths: readonly Estimate[], options: SearchOptions, progress: Progress): void {
  if (isOver(progress)) return;
  const isTooLong = lengthsOf(paths, options);
  for (const path of paths) {
    if (isOver(progress)) break;
    if (!isTooLong(path)) follow(path, options, progress);
  }
}

/** Of one search. */
export interface Progress extends Effort {
  best: Scored | undefined;
  looks: number;
  /** Pools that pay less than they seem to. */
  short: Set<Address>;
}

export const newProgress = (effort = MAX_EFFORT): Progress => ({
  best: undefined,
  looks: 0,
  left: effort,
  short: new Set(),
});

/** Whether a plan fits into a transaction; not where nothing is left to measure it with. */
export const fits = (found: Found, { room }: SearchOptions, effort: Effort): boolean =>
  spend(effort, MEASURE) && room.excess(found) <= 0;

const isOver = (progress: Progress) => progress.looks >= MAX_LOOKS || isSpent(progress);

interface Step {
  legs: EndingLeg[];
  /** The most that may come to it. */
  amount: number;
  /** Of that amount; each pool alone first. */
  ways: Way[];
  /** Bytes that it takes at least, whatever it shares with other steps. */
  least: number;
}

function follow(estimate: Estimate, options: SearchOptions, progress: Progress): void {
  const { path, steps: live, input } = estimate;
  const { request, room, maxPools } = options;
  const kept = keptOf(request);
  const wanted = Number(request.amount) / kept.output;
  const offerFor = (out: number) => (input * wanted) / out / kept.input;
  const worthOf = (out: number) => (request.mode === 'exact-in' ? out * kept.output : -offerFor(out));
  const isWorth = (out: number, pools: number) => {
    const { best } = progress;
    return !best || discounted(worthOf(out), pools) > best.score * (best.score > 0 ? NEARLY : 1 / NEARLY);
  };

  const reach = live.reduce((sum, legs) => mostUpTo(legs, sum), input);
  if (!isWorth(reach, live.length)) return;
  const steps = stepsOf(live, input, options);
  if (steps.some(({ ways }) => ways.length === 0)) return;
  const between = betweenOf(live);
  const weigh = (parts: readonly Part[]) => room.weigh(parts, between);
  const lightest = () => steps.map(({ ways }) => lightestOf(eachOf(ways), weigh));
  const base = room.base(path.mints, () => baseOf(planOf(path, lightest()), between, options));
  if (base + steps.reduce((sum, { least }) => sum + least, 0) > 0) return;
  for (const step of steps) step.ways.push(...splitsOver(step.legs, step.amount, progress));

  const look = (ways: readonly Way[], out: number): void => {
    if (isOver(progress)) return;
    progress.looks += 1;
    const later = steps.slice(ways.length);
    const rest = base + later.reduce((sum, { least }) => sum + least, 0);
    const parts = partsOf(ways);
    const pools = parts.length + later.length;
    if (pools > maxPools || rest + weigh(parts) > 0 || parts.some(({ pool }) => progress.short.has(pool.address)))
      return;
    if (!isWorth(reachOf(later, out), pools)) return;
    if (later.length > 0) extend(ways, out);
    else {
      const plan = planOf(path, eachOf(ways));
      const share = shareOf(progress);
      const found = calculate(plan, offerFor(out), options, share);
      const exact = found && scored(found, options);
      const estimate = discounted(worthOf(out), plan.pools);
      noteShort(plan, { guess: offerFor(out), estimate, exact }, options, progress.short, share);
      if (exact && fits(exact.found, options, progress)) progress.best = better(exact, progress.best);
    }
  };
  const extend = (ways: readonly Way[], amount: number): void => {
    const step = steps[ways.length]!;
    for (const { way, out } of waysAt(step, amount, progress)) look([...ways, way], out);
    // Nothing comes before the first step that could bring it less.
    if (request.mode === 'exact-out' || ways.length === 0) return;
    const others = steps.reduce((sum, each) => (each === step ? sum : sum + each.least), base);
    // Where pools end, some that take less than they are brought may still be best: the steps before bring less then.
    for (const { way, takes } of filledWays(step.legs, amount, progress)) {
      if (way.parts.length + steps.length - 1 > maxPools || others + weigh(way.parts) > 0) continue;
      if (!isWorth(reachOf(steps.slice(ways.length + 1), outOf(way, takes)), steps.length)) continue;
      const known = progress.best;
      for (const lessened of lessenings(steps, ways, input, takes, progress)) {
        look([...lessened.ways, way], outOf(way, lessened.out));
        if (progress.best !== known) break;
      }
    }
  };
  extend([], input);
}

/** The most that comes out of these steps, for an amount or a part of it. */
const reachOf = (steps: readonly Step[], amount: number): number =>
  steps.reduce((sum, { legs }) => mostUpTo(legs, sum), amount);

const eachOf = (ways: readonly Way[]): Part[][] => ways.map(({ parts }) => parts);
const partsOf = (ways: readonly Way[]): Part[] => eachOf(ways).flat();

type Weigh = (parts: readonly Part[]) => number;

const lightestOf = (all: readonly (readonly Part[])[], weigh: Weigh): readonly Part[] =>
  all.reduce((light, parts) => (weigh(parts) < weigh(light) ? parts : light));

/** The accounts that several of these pools name. */
function sharedBy(parts: readonly Part[], room: Room): Set<Address> {
  const times = new Map<Address, number>();
  for (const part of parts) for (const address of room.named(part)) times.set(address, (times.get(address) ?? 0) + 1);
  return new Set([...times].flatMap(([address, count]) => (count > 1 ? [address] : [])));
}

/** Every step with each of its pools alone. */
function stepsOf(live: readonly LiveLeg[][], input: number, { room }: SearchOptions): Step[] {
  let amount = input;
  // Pools that are filled to their ends bring more: a pool of the next step that ends between the two is known to end.
  let most = input;
  const steps = live.map((all) => {
    const legs = ofEveryKind(all, amount, room).map((leg) => endingLeg(leg, most));
    const step = { legs, amount, ways: legs.map((leg) => alone(leg, amount)) };
    amount = mostOut(legs, amount);
    most = mostUpTo(legs, most) + bestRate(legs, most) * most * TOPPED_UP;
    return step;
  });
  const shared = sharedBy(
    steps.flatMap(({ ways }) => partsOf(ways)),
    room,
  );
  return steps.map((step) => ({
    ...step,
    least: Math.min(...step.ways.map(({ parts }) => room.weigh(parts, shared))),
  }));
}

/** The best of every kind that takes another share of a transaction. */
function ofEveryKind(legs: readonly LiveLeg[], amount: number, room: Room): LiveLeg[] {
  const kinds = new Map<string, LiveLeg[]>();
  for (const leg of legs) {
    const kind = room.kindOf(leg);
    const same = kinds.get(kind);
    if (same) same.push(leg);
    else kinds.set(kind, [leg]);
  }
  const chosen = [...kinds.values()].flatMap((same) =>
    PARTS.flatMap((part) => mostFor(same, amount / part, MAX_OF_A_KIND)),
  );
  return [...new Set(chosen)];
}

const alone = (leg: LiveLeg, amount: number): Way => ({
  parts: [partOf(leg, ALL_BPS)],
  out: leg.state.estimateOut(leg.from, amount),
});

/** The splits over two and three pools that pay. */
function splitsOver(legs: readonly EndingLeg[], amount: number, effort: Effort): Way[] {
  const outs = legs.map((leg) => alone(leg, amount).out);
  const best = Math.max(...outs);
  if (best > 0 && bestRate(legs, amount) * amount < best * (1 + WORTH_A_POOL)) return [];
  const ways: Way[] = [];
  const add = (...chosen: number[]) => {
    if (!spend(effort, SPLIT)) return;
    const over = chosen.map((i) => legs[i]!);
    const way = split(over, amount, CHUNKS) ?? nearlyFilled(over, amount);
    if (way && way.out > Math.max(...chosen.map((i) => outs[i]!)) * (1 + WORTH_A_POOL))
      ways.push(toppedUp(way, over, amount, CHUNKS));
  };
  for (let i = 0; i < legs.length; i++) {
    for (let j = i + 1; j < legs.length; j++) {
      add(i, j);
      for (let k = j + 1; k < Math.min(legs.length, MAX_FOR_THREES); k++) add(i, j, k);
    }
  }
  return ways;
}

/** The ways that take an amount, best first. */
function waysAt({ legs, ways, amount: most }: Step, amount: number, effort: Effort): { way: Way; out: number }[] {
  // Of less, other shares are best, and pools that end take more of it; of more, they do not take theirs.
  const isSame = amount <= most && amount > most * (1 - SAME);
  const now = isSame ? ways : [...ways.slice(0, legs.length), ...splitsOver(legs, amount, effort)];
  spend(effort, WAY * now.length);
  return now
    .map((way) => ({ way, out: wholeOut(outOf(way, amount)) }))
    .filter(({ out }) => out > 0)
    .sort((a, b) => b.out - a.out);
}
