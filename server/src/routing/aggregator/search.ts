import type { QuoteRequest } from '../router.js';
import { bestOut, type LiveLeg, leastIn, liveLegs, mostFor } from './legs.js';
import type { Leg, Market, Path } from './market.js';
import { ALL_BPS, amountFor, type Outcome, type Part, type Plan, run } from './plan.js';

/** Pools of a pair that an amount is split over: this many that are best for all of it, and as many for a part. */
const MAX_LEGS = 3;
/** Each further pool must add this share to the output: it costs compute units and bytes. */
const WORTH_A_POOL = 0.0001;
/** Plans that are calculated exactly, and paths that are split. */
const CLOSE_LOOKS = 3;
const CLOSE_PATHS = 2;
/** The number of equal chunks in which an amount is dealt out to the pools of a pair. */
const CHUNKS = 25;
/** The most pools that one step is split over. */
const MAX_PARTS = 3;
/** An amount divided by this is too small to move a price. */
const NEARLY_NOTHING = 10_000;

export interface SearchOptions {
  market: Market;
  request: QuoteRequest;
  /** Steady milliseconds. */
  now: number;
  /** Whether our router program runs the route; otherwise it has a single step. */
  routed: boolean;
  /** The most pools of a route. */
  maxPools: number;
  /** Whether the plan fits into a transaction. */
  fits(plan: Plan, request: QuoteRequest): boolean;
}

export interface Found {
  plan: Plan;
  /** The amount to offer: the request's, or what was found for its output. */
  amount: bigint;
  outcome: Outcome;
}

/** The best of the routes considered; undefined if there is none. Pure, except that it reads the pools' bytes. */
export function search(options: SearchOptions): Found | undefined {
  const plans = rankedPlans(options);
  let best: { found: Found; score: number } | undefined;
  let looks = 0;
  for (const { plan, amount, score: estimate } of plans) {
    // Rounding only makes a plan worse than its estimate, so a plan whose estimate is no better cannot win.
    if (best && (looks === CLOSE_LOOKS || estimate <= best.score)) break;
    if (!options.fits(plan, options.request)) continue;
    const found = calculate(plan, amount, options);
    if (!found) continue;
    looks += 1;
    const score = scoreOf(found, options);
    if (!best || isBetter(found, score, best.found, best.score)) best = { found, score };
  }
  return best?.found;
}

/** Calculates a plan exactly; `guess` is near the input that a given output takes. */
export function calculate(
  plan: Plan,
  guess: number,
  { request, routed }: Pick<SearchOptions, 'request' | 'routed'>,
): Found | undefined {
  const { mode, amount, fee } = request;
  if (mode === 'exact-out') {
    const exact = amountFor(plan, amount, guess, { fee, routed });
    return exact && { plan, ...exact };
  }
  const outcome = run(plan, amount, { fee, routed });
  return outcome && { plan, amount, outcome };
}

function scoreOf({ plan, outcome }: Found, { request }: SearchOptions): number {
  const worth = request.mode === 'exact-in' ? Number(outcome.outAmount) : -Number(outcome.inAmount);
  return discounted(worth, plan.pools);
}

/** The score of an output, or of an input as a negative number, that needs this many pools. */
function discounted(worth: number, pools: number): number {
  const effort = 1 + WORTH_A_POOL * (pools - 1);
  return worth < 0 ? worth * effort : worth / effort;
}

function isBetter(found: Found, score: number, than: Found, thanScore: number): boolean {
  return score > thanScore || (score === thanScore && found.outcome.inAmount < than.outcome.inAmount);
}

// ---- by estimate ----------------------------------------------------------------------------------------------------

interface Estimate {
  steps: LiveLeg[][];
  path: Path;
  /** Input of the first step. */
  input: number;
  score: number;
}

interface RankedPlan {
  plan: Plan;
  /** What is offered, including a fee on it. */
  amount: number;
  score: number;
}

/** Plans over the best paths, with and without splits, best estimate first; then the other paths. */
function rankedPlans(options: SearchOptions): RankedPlan[] {
  const { market, request, routed, maxPools } = options;
  const paths = market.paths(request, options.now);
  const cache = new Map<readonly Leg[], LiveLeg[]>();
  const estimates: Estimate[] = [];
  for (const path of paths) {
    if (path.steps.length > (routed ? maxPools : 1)) continue;
    const estimate = estimatePath(path, options, cache);
    if (estimate) estimates.push(estimate);
  }
  estimates.sort((a, b) => b.score - a.score);
  const close = estimates.slice(0, CLOSE_PATHS).flatMap((estimate) => plansOf(estimate, options, MAX_PARTS));
  close.sort((a, b) => b.score - a.score);
  for (const estimate of estimates.slice(CLOSE_PATHS)) close.push(...plansOf(estimate, options, 1));
  return close;
}

const inputKept = ({ fee }: SearchOptions['request']) => (fee?.side === 'input' ? 1 - fee.bps / ALL_BPS : 1);
const outputKept = ({ fee }: SearchOptions['request']) => (fee?.side === 'output' ? 1 - fee.bps / ALL_BPS : 1);

function estimatePath(path: Path, options: SearchOptions, cache: Map<readonly Leg[], LiveLeg[]>): Estimate | undefined {
  const { request } = options;
  const steps = path.steps.map((legs) => {
    const live = cache.get(legs) ?? liveLegs(legs, options.now, request.excludeVenues);
    cache.set(legs, live);
    return live;
  });
  if (steps.some((legs) => legs.length === 0)) return undefined;
  let amount = Number(request.amount);
  if (request.mode === 'exact-in') {
    const input = amount * inputKept(request);
    amount = input;
    for (const legs of steps) amount = bestOut(legs, amount);
    return amount > 0 ? { path, steps, input, score: discounted(amount, steps.length) } : undefined;
  }
  amount /= outputKept(request);
  for (const legs of steps.toReversed()) amount = leastIn(legs, amount);
  return Number.isFinite(amount) ? { path, steps, input: amount, score: discounted(-amount, steps.length) } : undefined;
}

/** Plans for a path with fewer and fewer splits, in case a transaction has no room for more. */
function plansOf(
  { path, steps, input }: Estimate,
  { request, maxPools }: SearchOptions,
  maxParts: number,
): RankedPlan[] {
  const dealt: Dealt[][] = [];
  let amount = input;
  for (const legs of steps) {
    const ways = deal(legs, amount, maxParts);
    dealt.push(ways);
    amount = ways[0]!.out;
  }
  const most = Math.max(...dealt.map((ways) => ways.length));
  const plans: RankedPlan[] = [];
  for (let parts = most; parts >= 1; parts--) {
    // A step's gain over its best pool is nearly the route's gain, too.
    let out = amount;
    const chosen = dealt.map((ways) => {
      const way = ways[Math.min(parts, ways.length) - 1]!;
      out *= way.out / ways[0]!.out;
      return way;
    });
    const pools = chosen.reduce((count, way) => count + way.parts.length, 0);
    if (pools > maxPools) continue;
    const plan = {
      steps: chosen.map((way, i) => ({ input: path.mints[i]!, output: path.mints[i + 1]!, parts: way.parts })),
      pools,
    };
    const worth = request.mode === 'exact-in' ? out : -input * (amount / out);
    plans.push({ plan, amount: (input * amount) / out / inputKept(request), score: discounted(worth, pools) });
  }
  return plans;
}

// ---- splits -----------------------------------------------------------------------------------------------------------

interface Dealt {
  parts: Part[];
  out: number;
}

/** The best way to trade a step with one pool, then with two, and so on while one more is worth it. */
function deal(all: readonly LiveLeg[], amount: number, maxParts: number): Dealt[] {
  const legs = maxParts === 1 ? mostFor(all, amount, 1) : candidates(all, amount);
  let [best, out] = [legs[0]!, 0];
  let rate = 0;
  for (const leg of legs) {
    const estimate = leg.state.estimateOut(leg.from, amount);
    if (estimate > out) [best, out] = [leg, estimate];
    rate = Math.max(rate, leg.state.estimateOut(leg.from, amount / NEARLY_NOTHING) * NEARLY_NOTHING);
  }
  const ways: Dealt[] = [{ parts: [partOf(best, ALL_BPS)], out }];
  // At most, all of it trades at the best price there is.
  if (legs.length === 1 || rate < out * (1 + WORTH_A_POOL)) return ways;
  const { given } = dealChunks(legs, amount);
  const order = legs.map((_, i) => i).sort((a, b) => given[b]! - given[a]!);
  for (let count = 2; count <= Math.min(maxParts, legs.length); count++) {
    const chosen = order.slice(0, count).map((i) => legs[i]!);
    const chunks = dealChunks(chosen, amount);
    if (chunks.given.includes(0) || chunks.out < ways.at(-1)!.out * (1 + WORTH_A_POOL)) break;
    const parts = chosen.map((leg, i) => partOf(leg, (chunks.given[i]! * ALL_BPS) / CHUNKS));
    // The largest part takes what rounding leaves.
    ways.push({ parts: parts.sort((a, b) => a.bps - b.bps), out: chunks.out });
  }
  return ways;
}

/**
 * Chosen by their output for this amount, whatever their reserves. A deep pool with a high fee does more for all of a
 * large amount than a shallow one, but less for a part of it.
 */
function candidates(legs: readonly LiveLeg[], amount: number): readonly LiveLeg[] {
  if (legs.length <= 2 * MAX_LEGS) return legs;
  const whole = mostFor(legs, amount, MAX_LEGS);
  return [...new Set([...whole, ...mostFor(legs, amount / MAX_PARTS, 2 * MAX_LEGS)])].slice(0, 2 * MAX_LEGS);
}

// Field by field: a spread would take longer than a quote.
const partOf = ({ pool, from, state }: LiveLeg, bps: number): Part => ({ pool, from, state, bps });

/** Deals an amount out in equal chunks, each to the pool that pays the most for one more. */
function dealChunks(legs: readonly LiveLeg[], amount: number): { given: number[]; out: number } {
  const chunk = amount / CHUNKS;
  const given = legs.map(() => 0);
  const outs = legs.map(() => 0);
  const gains = legs.map(({ state, from }) => state.estimateOut(from, chunk));
  for (let i = 0; i < CHUNKS; i++) {
    let to = 0;
    for (let j = 1; j < gains.length; j++) if (gains[j]! > gains[to]!) to = j;
    const { state, from } = legs[to]!;
    given[to]! += 1;
    outs[to]! += gains[to]!;
    gains[to] = state.estimateOut(from, (given[to]! + 1) * chunk) - outs[to]!;
  }
  return { given, out: outs.reduce((sum, out) => sum + out, 0) };
}
