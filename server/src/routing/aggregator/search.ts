import type { QuoteRequest } from '../router.js';
import { CHUNKS, inputOfMany, MAX_PARTS, mostOut, partOf, type Way, waysFor } from './deal.js';
import { shareOf } from './effort.js';
import { fits, fitting, newProgress, type Progress } from './fitting.js';
import {
  better,
  calculate,
  discounted,
  type Estimate,
  type Found,
  keptOf,
  type Scored,
  type SearchOptions,
  scored,
} from './found.js';
import { bestOut, type Leg, type LiveLeg, leastIn, liveLegs, mostFor, wholeIn, wholeOut } from './legs.js';
import type { Path } from './market.js';
import { lengthsOf } from './path-lengths.js';
import { ALL_BPS, type Plan } from './plan.js';
import { noteShort } from './short.js';

/** Plans that are calculated exactly, and paths that are split. */
const CLOSE_LOOKS = 3;
const CLOSE_PATHS = 2;
/** A trade that loses more by moving prices is worth a look at all ways to split it. */
const LARGE_LOSS = 0.005;
/** Another path is split, too, if it might be better by this share. */
const WORTH_A_PATH = 0.0005;
/** Pools that are asked first for a trade that is filled in part: so many that are best for each part (1/n) of the amount. */
const PARTS = [1, 3, 8, 25, 100] as const;
const BEST_OF_A_PART = 8;
/**
 * What asking for such trades may take, and measuring them, in microseconds, roughly: those of a pair weigh nearly the same.
 */
const MAX_PARTIAL = 20_000;

/** Searches for one answer: each is without the pools that paid less than they seemed to in the ones before. */
const MOST_ROUNDS = 4;

/**
 * The best of the routes considered that fits into a transaction; undefined if there is none. Pure, except that it reads
 * the pools' bytes.
 */
export function search(options: SearchOptions, progress = newProgress()): Found | undefined {
  const { request } = options;
  const excludePools = new Set(request.excludePools);
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { short } = progress;
    short.clear();
    const isFirst = round === 1;
    const own = isFirst ? options : { ...options, request: { ...request, excludePools } };
    const live: LiveCache = new Map();
    const isEnough = lookClosely(own, live, progress);
    // Where something paid too little, others may do after all, and cost less than all that there is.
    if (!isEnough && (short.size === 0 || round === MOST_ROUNDS))
      fitting(rankedPaths(own.market.allPaths(request, own.now), own, live), own, progress);
    if (short.size === 0) break;
    for (const pool of short) excludePools.add(pool);
  }
  return (progress.best ?? filledInPart(options))?.found;
}

/** Looks at the plans that are best by estimate; false where others may be better than the best that is known then. */
function lookClosely(options: SearchOptions, live: LiveCache, progress: Progress): boolean {
  const { market, request, now } = options;
  const estimates = rankedPaths(market.paths(request, now), options, live);
  // Most paths are too long for a transaction with a wallet's accounts: what is known of them spares their plans.
  const isTooLong = lengthsOf(estimates, options);
  const possible = estimates.filter((estimate) => !isTooLong(estimate));
  const { plans, ceiling } = rankedPlans(possible, options);
  const left = estimates.find((estimate) => !possible.includes(estimate));
  let looks = 0;
  let isMissed = false;
  for (const { plan, amount, score: estimate } of plans) {
    // Rounding only makes a plan worse than its estimate, so a plan whose estimate is no better cannot win.
    if (progress.best && (looks === CLOSE_LOOKS || estimate <= progress.best.score)) break;
    const share = shareOf(progress);
    const found = plan && calculate(plan, amount, options, share);
    const exact = found && scored(found, options);
    if (plan) noteShort(plan, { guess: amount, estimate, exact }, options, progress.short, share);
    if (!exact || !fits(exact.found, options, progress)) isMissed = true;
    else {
      looks += 1;
      progress.best = better(exact, progress.best);
    }
  }
  const { best } = progress;
  return (
    !isMissed && best !== undefined && !(left && left.score > best.score) && !isWorse(best.score, ceiling, LARGE_LOSS)
  );
}

/** A trade with a pool that takes a part of an amount that nothing takes all of. */
function filledInPart(options: SearchOptions): Scored | undefined {
  const { market, request, now } = options;
  if (request.mode === 'exact-out') return undefined;
  const { mint: input } = request.input;
  const { mint: output } = request.output;
  const legs = liveLegs(market.pair(input, output), now, request);
  // By estimate, what takes a part gives nothing for all of it.
  const best = PARTS.flatMap((part) => mostFor(legs, Number(request.amount) / part, BEST_OF_A_PART));
  const asking = newProgress(MAX_PARTIAL);
  const filled = [...new Set([...best, ...legs])].flatMap((leg) => {
    const plan = { steps: [{ input, output, parts: [partOf(leg, ALL_BPS)] }], pools: 1 };
    const found = calculate(plan, Number(request.amount), options, asking);
    return found ? [scored(found, options)] : [];
  });
  const measuring = newProgress(MAX_PARTIAL);
  const takenBy = ({ found }: Scored) => found.outcome.inAmount;
  filled.sort((a, b) => b.score - a.score || Number(takenBy(a) - takenBy(b)));
  return filled.find(({ found }) => fits(found, options, measuring));
}

// ---- by estimate ----------------------------------------------------------------------------------------------------

interface RankedPlan {
  /** Undefined if the path's steps do not take what the ones before give: fewer of that may do. */
  plan: Plan | undefined;
  /** What is offered, including a fee on it. */
  amount: number;
  score: number;
}

/** Plans over the best of these paths, with and without splits, best estimate first; then the other paths. */
function rankedPlans(estimates: readonly Estimate[], options: SearchOptions): { plans: RankedPlan[]; ceiling: number } {
  const { request } = options;
  const close = estimates.slice(0, CLOSE_PATHS).flatMap((estimate) => plansOf(estimate, options, MAX_PARTS));
  const [first] = estimates;
  const ceiling = first ? ceilingOf(first, request) : 0;
  // What cannot be planned is no reason not to split what can.
  const planned = close.filter(({ plan }) => plan !== undefined);
  const best = planned.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const isLarge = isWorse(best, ceiling, WORTH_A_PATH);
  const others: RankedPlan[] = [];
  for (const estimate of estimates.slice(CLOSE_PATHS)) {
    // By its best pools alone a path is worse, but a large amount may be split over many.
    const maySplit = isLarge && isWorse(best, ceilingOf(estimate, request), WORTH_A_PATH);
    (maySplit ? close : others).push(...plansOf(estimate, options, maySplit ? MAX_PARTS : 1));
  }
  close.sort((a, b) => b.score - a.score);
  return { plans: [...close, ...others], ceiling };
}

const isWorse = (score: number, than: number, by: number) => score < than - Math.abs(than) * by;

/** The score of a path if the price of a part held for all: pools with nothing behind their price do not count. */
function ceilingOf({ steps, input, score }: Estimate, request: QuoteRequest): number {
  let amount = input;
  for (const legs of steps) amount = bestOut(legs, amount / CHUNKS) * CHUNKS;
  const kept = keptOf(request);
  if (request.mode === 'exact-in') return discounted(amount * kept.output, steps.length);
  const wanted = Number(request.amount) / kept.output;
  return amount > wanted ? (score * wanted) / amount : score;
}

/** The pools of each step of a path that are fresh now, for the search that asks. */
type LiveCache = Map<readonly Leg[], LiveLeg[]>;

function rankedPaths(paths: readonly Path[], options: SearchOptions, cache: LiveCache): Estimate[] {
  const { routed, maxPools } = options;
  const estimates: Estimate[] = [];
  for (const path of paths) {
    if (path.steps.length > (routed ? maxPools : 1)) continue;
    const estimate = estimatePath(path, options, cache);
    if (estimate) estimates.push(estimate);
  }
  return estimates.sort((a, b) => b.score - a.score);
}

function estimatePath(path: Path, options: SearchOptions, cache: LiveCache): Estimate | undefined {
  const { request } = options;
  const steps = path.steps.map((legs) => {
    const live = cache.get(legs) ?? liveLegs(legs, options.now, request);
    cache.set(legs, live);
    return live;
  });
  if (steps.some((legs) => legs.length === 0)) return undefined;
  const kept = keptOf(request);
  let amount = Number(request.amount);
  if (request.mode === 'exact-in') {
    const input = amount * kept.input;
    amount = input;
    for (const legs of steps) amount = wholeOut(bestOut(legs, amount)) || wholeOut(mostOut(legs, amount));
    return amount > 0 ? { path, steps, input, score: discounted(amount, steps.length) } : undefined;
  }
  amount /= kept.output;
  for (const legs of steps.toReversed()) {
    const least = leastIn(legs, amount);
    amount = wholeIn(Number.isFinite(least) ? least : inputOfMany(legs, amount));
  }
  return Number.isFinite(amount) ? { path, steps, input: amount, score: discounted(-amount, steps.length) } : undefined;
}

/** Plans for a path with fewer and fewer splits. */
function plansOf(
  { path, steps, input, score }: Estimate,
  { request, maxPools }: SearchOptions,
  maxParts: number,
): RankedPlan[] {
  const dealt: Way[][] = [];
  let amount = input;
  for (const legs of steps) {
    const ways = waysFor(legs, amount, maxParts);
    amount = wholeOut(ways.at(-1)?.out ?? 0);
    if (amount === 0) return [{ plan: undefined, amount: 0, score }];
    dealt.push(ways);
  }
  const kept = keptOf(request);
  const wanted = request.mode === 'exact-in' ? amount : Number(request.amount) / kept.output;
  const chosen = dealt.map((ways) => ways.length - 1);
  const plans: RankedPlan[] = [];
  for (;;) {
    const ways = dealt.map((each, i) => each[chosen[i]!]!);
    const pools = ways.reduce((sum, { parts }) => sum + parts.length, 0);
    if (pools <= maxPools) {
      // What a step loses by a simpler way is nearly what the route loses.
      const out = ways.reduce((product, way, i) => (product * way.out) / dealt[i]!.at(-1)!.out, amount);
      const plan = {
        steps: ways.map(({ parts }, i) => ({ input: path.mints[i]!, output: path.mints[i + 1]!, parts })),
        pools,
      };
      const worth = request.mode === 'exact-in' ? out : -input * (wanted / out);
      plans.push({ plan, amount: (input * wanted) / out / kept.input, score: discounted(worth, pools) });
    }
    const simpler = leastLoss(dealt, chosen);
    if (simpler === undefined) break;
    chosen[simpler]! -= 1;
  }
  return plans;
}

/** The step that loses the least by a split over one pool fewer; undefined where none is split any more. */
function leastLoss(dealt: readonly Way[][], chosen: readonly number[]): number | undefined {
  let least: number | undefined;
  let kept = 0;
  for (const [i, ways] of dealt.entries()) {
    const at = chosen[i]!;
    if (at === 0) continue;
    const share = ways[at - 1]!.out / ways[at]!.out;
    if (share > kept) [least, kept] = [i, share];
  }
  return least;
}
