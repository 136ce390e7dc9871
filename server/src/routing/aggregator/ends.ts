// Trades with pools whose liquidity ends: how much they take, ways that fill them, and ways that bring them no more.
import { partOf, type Way } from './deal.js';
import { type Effort, spend } from './effort.js';
import type { LiveLeg } from './legs.js';
import { ALL_BPS, type Part } from './plan.js';

/** What comes before a pool that is filled brings at least this share of what it takes. */
const NEARLY_ALL = 0.995;
/** What a pool takes at its end is known to this share. */
const EXACT = 1e-5;

const FILLING = 2;
const SHARE = 15;

export interface EndingLeg extends LiveLeg {
  /** What the pool takes at most; Infinity if that is as much as may come to it. */
  end: number;
}

export function endingLeg({ pool, from, state }: LiveLeg, amount: number): EndingLeg {
  let end = state.estimateOut(from, amount) > 0 ? Number.POSITIVE_INFINITY : 0;
  for (let part = amount / 2; end < amount && part > amount * EXACT; part /= 2)
    if (state.estimateOut(from, end + part) > 0) end += part;
  return { pool, from, state, end };
}

/** What a way gives for another amount; 0 if one of its pools ends before. */
export function outOf({ parts }: Way, amount: number): number {
  let sum = 0;
  for (const { state, from, bps } of parts) {
    const out = state.estimateOut(from, (amount * bps) / ALL_BPS);
    if (out <= 0) return 0;
    sum += out;
  }
  return sum;
}

/** A split whose pools are filled to their ends, where a chunk more was more than they take and that pays. */
export function toppedUp(way: Way, legs: readonly EndingLeg[], amount: number, chunks: number): Way {
  let best = way;
  for (const { pool, end } of legs) {
    const room = Math.floor((end / amount) * ALL_BPS) - shareOf(best.parts, pool);
    const donor = best.parts.at(-1)!;
    if (!(room > 0 && room < ALL_BPS / chunks && room < donor.bps) || donor.pool === pool) continue;
    const moved = (part: Part) => (part.pool === pool ? room : part === donor ? -room : 0);
    const parts = best.parts.map((part) => partOf(part, part.bps + moved(part))).sort(byShare);
    const out = outOf({ parts, out: 0 }, amount);
    if (out > best.out) best = { parts, out };
  }
  return best;
}

/** Ways over up to three pools that end before the amount does, each filled to its end, and what they take. */
export function filledWays(legs: readonly EndingLeg[], amount: number, effort: Effort): { way: Way; takes: number }[] {
  const ending = legs.filter(({ end }) => end > 0 && end < amount);
  const ways: { way: Way; takes: number }[] = [];
  const add = (...chosen: EndingLeg[]) => {
    if (!spend(effort, FILLING) || chosen.reduce((sum, { end }) => sum + end, 0) >= amount) return;
    const way = byEnds(chosen);
    const takes = Math.min(...chosen.map(({ pool, end }) => (end * ALL_BPS) / shareOf(way.parts, pool)));
    if (takes > 0) ways.push({ way, takes });
  };
  for (const [i, one] of ending.entries()) {
    add(one);
    for (const [j, other] of ending.slice(0, i).entries()) {
      add(one, other);
      for (const third of ending.slice(0, j)) add(one, other, third);
    }
  }
  return ways;
}

/** A split that takes nearly all that its pools do: dealt out in chunks, some of it would be left. */
export function nearlyFilled(legs: readonly EndingLeg[], amount: number): Way | undefined {
  if (!(legs.reduce((sum, { end }) => sum + end, 0) < Number.POSITIVE_INFINITY)) return undefined;
  const way = byEnds(legs);
  const out = outOf(way, amount);
  return out > 0 ? { ...way, out } : undefined;
}

/** A split by what the pools take. */
function byEnds(legs: readonly EndingLeg[]): Way {
  const all = legs.reduce((sum, { end }) => sum + end, 0);
  const parts = legs.map((leg) => partOf(leg, Math.floor((leg.end / all) * ALL_BPS))).sort(byShare);
  parts.at(-1)!.bps += ALL_BPS - parts.reduce((sum, { bps }) => sum + bps, 0);
  return { parts, out: 0 };
}

/**
 * Ways for the same steps that bring nearly `wanted` and no more: a share of one step goes to another of its pools, or to
 * one pool more, that gives less for it. Fewest pools first.
 */
export function lessenings(
  steps: readonly { legs: readonly LiveLeg[] }[],
  ways: readonly Way[],
  input: number,
  wanted: number,
  effort: Effort,
): { ways: Way[]; out: number }[] {
  const found: { ways: Way[]; out: number }[] = [];
  let amount = input;
  for (const [i, way] of ways.entries()) {
    for (const leg of steps[i]!.legs) {
      const moved = (bps: number): { ways: Way[]; out: number } => {
        const changed = ways.with(i, toward(way, leg, bps));
        return { ways: changed, out: changed.slice(i).reduce((sum, each) => outOf(each, sum), amount) };
      };
      // Mostly, not even all of it is enough.
      if (!spend(effort, 1) || moved(ALL_BPS).out > wanted || !spend(effort, SHARE)) continue;
      const bps = fewestBps((share) => moved(share).out <= wanted);
      const lessened = moved(bps);
      if (lessened.out <= wanted && lessened.out >= wanted * NEARLY_ALL) found.push(lessened);
    }
    amount = outOf(way, amount);
  }
  return found.sort((a, b) => poolsOf(a.ways) - poolsOf(b.ways) || b.out - a.out);
}

/** The fewest basis points, up to all, that are enough. */
function fewestBps(isEnough: (bps: number) => boolean): number {
  let [low, high] = [0, ALL_BPS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** A way with so many basis points of its amount taken from all of its pools and given to one. */
function toward({ parts }: Way, leg: LiveLeg, bps: number): Way {
  const others = parts
    .filter(({ pool }) => pool !== leg.pool)
    .map((part) => partOf(part, Math.floor((part.bps * (ALL_BPS - bps)) / ALL_BPS)))
    .filter((part) => part.bps > 0);
  const rest = ALL_BPS - others.reduce((sum, part) => sum + part.bps, 0);
  return { parts: [...others, partOf(leg, rest)].sort(byShare), out: 0 };
}

const byShare = (a: Part, b: Part) => a.bps - b.bps;
const shareOf = (parts: readonly Part[], pool: LiveLeg['pool']) => parts.find((part) => part.pool === pool)!.bps;
const poolsOf = (ways: readonly Way[]) => ways.reduce((sum, { parts }) => sum + parts.length, 0);
