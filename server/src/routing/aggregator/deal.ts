import { type LiveLeg, mostFor } from './legs.js';
import { ALL_BPS, type Part } from './plan.js';

/** Pools of a pair that an amount is split over: this many that are best for all of it, and as many for a part. */
const MAX_LEGS = 3;
/** Each further pool must add this share to the output: it costs compute units and bytes. */
export const WORTH_A_POOL = 0.0001;
/** The number of equal chunks in which an amount is dealt out to the pools of a pair. */
export const CHUNKS = 25;
/** The most pools that one step is split over. */
export const MAX_PARTS = 3;
/** Parts of an amount, as 1/n, by which pools are chosen for a split. */
const PARTS = [3, 8, CHUNKS] as const;
/** An amount divided by this is too small to move a price. */
const NEARLY_NOTHING = 10_000;

/** A way to trade a step. */
export interface Way {
  parts: Part[];
  out: number;
}

/**
 * The best way to trade a step with one pool, then with two, and so on while one more is worth it. It begins with more
 * where no pool takes all of it, and is empty where no few pools do.
 */
export function waysFor(all: readonly LiveLeg[], amount: number, maxParts: number): Way[] {
  const [best] = mostFor(all, amount, 1);
  const ways: Way[] = best ? [{ parts: [partOf(best, ALL_BPS)], out: best.state.estimateOut(best.from, amount) }] : [];
  if (best && maxParts === 1) return ways;
  const legs = candidates(all, amount);
  if (best && (legs.length === 1 || bestRate(legs, amount) * amount < ways[0]!.out * (1 + WORTH_A_POOL))) return ways;
  const { given } = dealChunks(legs, amount);
  const order = legs.map((_, i) => i).sort((a, b) => given[b]! - given[a]!);
  for (let count = 2; count <= Math.min(MAX_PARTS, legs.length); count++) {
    const way = splitOver(
      order.map((i) => legs[i]!),
      count,
      amount,
    );
    const before = ways.at(-1);
    if (before && way && way.out < before.out * (1 + WORTH_A_POOL)) break;
    if (way) ways.push(way);
  }
  return ways;
}

/** Over the first so many; where those do not take all of it, over another in place of the last. */
function splitOver(legs: readonly LiveLeg[], count: number, amount: number): Way | undefined {
  for (let last = count - 1; last < legs.length; last++) {
    const way = split([...legs.slice(0, count - 1), legs[last]!], amount);
    if (way) return way;
  }
  return undefined;
}

/**
 * Chosen by their output for this amount, whatever their reserves. A deep pool with a high fee does more for all of a
 * large amount than a shallow one, but less for a part of it.
 */
function candidates(legs: readonly LiveLeg[], amount: number): readonly LiveLeg[] {
  if (legs.length <= 2 * MAX_LEGS) return legs;
  const chosen = new Set(mostFor(legs, amount, MAX_LEGS));
  // Fewer are found for a part only where liquidity ends: then smaller parts tell which of the others are good.
  for (const part of PARTS) {
    if (chosen.size >= 2 * MAX_LEGS) break;
    for (const leg of mostFor(legs, amount / part, 2 * MAX_LEGS)) if (chosen.size < 2 * MAX_LEGS) chosen.add(leg);
  }
  return [...chosen];
}

/** The best price there is: output for each unit of a small part of the amount. */
export function bestRate(legs: readonly LiveLeg[], amount: number): number {
  let rate = 0;
  const little = amount / NEARLY_NOTHING;
  for (const { state, from } of legs) rate = Math.max(rate, state.estimateOut(from, little) / little);
  return rate;
}

// Field by field: a spread would take longer than a quote.
export const partOf = ({ pool, from, state }: LiveLeg, bps: number): Part => ({ pool, from, state, bps });

/** All of the amount to one pool, or dealt out to several; undefined if they do not take it, or one of them gets none. */
export function split(legs: readonly LiveLeg[], amount: number, chunks = CHUNKS): Way | undefined {
  if (legs.length === 1) {
    const out = legs[0]!.state.estimateOut(legs[0]!.from, amount);
    return out > 0 ? { parts: [partOf(legs[0]!, ALL_BPS)], out } : undefined;
  }
  const { given, out, isAll } = dealChunks(legs, amount, chunks);
  if (!isAll || given.includes(0)) return undefined;
  const parts = legs.map((leg, i) => partOf(leg, (given[i]! * ALL_BPS) / chunks));
  // The largest part takes what rounding leaves.
  return { parts: parts.sort((a, b) => a.bps - b.bps), out };
}

/** Deals an amount out in equal chunks, each to the pool that pays the most for one more, until none pays for it. */
function dealChunks(
  legs: readonly LiveLeg[],
  amount: number,
  chunks = CHUNKS,
): { given: number[]; out: number; isAll: boolean } {
  const chunk = amount / chunks;
  const given = legs.map(() => 0);
  const outs = legs.map(() => 0);
  const gains = legs.map(({ state, from }) => state.estimateOut(from, chunk));
  let isAll = true;
  for (let i = 0; i < chunks; i++) {
    let to = 0;
    for (let j = 1; j < gains.length; j++) if (gains[j]! > gains[to]!) to = j;
    if (!(gains[to]! > 0)) {
      isAll = false;
      break;
    }
    const { state, from } = legs[to]!;
    given[to]! += 1;
    outs[to]! += gains[to]!;
    gains[to] = state.estimateOut(from, (given[to]! + 1) * chunk) - outs[to]!;
  }
  return { given, isAll, out: outs.reduce((sum, out) => sum + out, 0) };
}

/**
 * Rough output for all of an amount, in one pool or in several; where no few pools take all of it, what it would be at
 * their best price.
 */
export function mostOut(legs: readonly LiveLeg[], amount: number): number {
  return waysFor(legs, amount, MAX_PARTS).at(-1)?.out ?? bestRate(legs, amount) * amount;
}

/** In chunks so small, a pool takes nearly all that it can. */
const FINE_CHUNKS = 100;

/** No split over few pools gives more for an amount, or for a smaller one. */
export function mostUpTo(legs: readonly LiveLeg[], amount: number): number {
  return dealChunks(legs, amount, FINE_CHUNKS).out;
}

/** Rough input for an output that no pool has alone: dealt out like an amount; Infinity if they do not have it. */
export function inputOfMany(legs: readonly LiveLeg[], output: number): number {
  const chunk = output / CHUNKS;
  const given = legs.map(() => 0);
  const ins = legs.map(() => 0);
  const costs = legs.map(({ state, from }) => state.estimateIn(from, chunk));
  for (let i = 0; i < CHUNKS; i++) {
    let to = 0;
    for (let j = 1; j < costs.length; j++) if (costs[j]! < costs[to]!) to = j;
    const cost = costs[to] ?? Number.POSITIVE_INFINITY;
    if (cost === Number.POSITIVE_INFINITY) return cost;
    const { state, from } = legs[to]!;
    given[to]! += 1;
    ins[to]! += cost;
    costs[to] = state.estimateIn(from, (given[to]! + 1) * chunk) - ins[to]!;
  }
  return ins.reduce((sum, input) => sum + input, 0);
}
