import type { QuoteRequest } from '../router.js';
import type { Leg, Market, Path } from './market.js';
import { ALL_BPS, amountFor, type Outcome, type Part, type Plan, run, type Step } from './plan.js';
import type { PoolState } from './venue.js';

/** Pools of one pair that are looked at. */
const MAX_LEGS = 4;
/** Each further pool must bring this share more: it costs compute units and bytes. */
const WORTH_A_POOL = 0.0001;
/** Paths that are looked at closely: split, and calculated to the unit. */
const CLOSE_LOOKS = 3;
/** In how many equal parts an amount is dealt out to the pools of a pair. */
const CHUNKS = 50;

export interface SearchOptions {
  market: Market;
  request: QuoteRequest;
  /** Steady milliseconds. */
  now: number;
  /** Whether our router program runs the route; else it has one step. */
  routed: boolean;
  /** Most pools of a route. */
  maxPools: number;
  /** Whether a transaction has room for it. */
  fits(plan: Plan, request: QuoteRequest): boolean;
}

export interface Found {
  plan: Plan;
  /** To be offered: that of the request, or what was found for its output. */
  amount: bigint;
  outcome: Outcome;
}

/** The best route of those looked at; undefined where there is none. Pure but for the pools' bytes, which it reads. */
export function search(options: SearchOptions): Found | undefined {
  const plans = rankedPlans(options);
  let best: { found: Found; score: number } | undefined;
  let looks = 0;
  for (const { plan, amount } of plans) {
    if (best && looks >= CLOSE_LOOKS) break;
    if (!options.fits(plan, options.request)) continue;
    const found = calculate(plan, amount, options);
    if (!found) continue;
    looks += 1;
    const score = scoreOf(found, options);
    if (!best || isBetter(found, score, best.found, best.score)) best = { found, score };
  }
  return best?.found;
}

/** What a plan does, to the unit; `guess` is near the input that a given output takes. */
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
  const effort = WORTH_A_POOL * (plan.pools - 1);
  if (request.mode === 'exact-out') return -Number(outcome.inAmount) * (1 + effort);
  return Number(outcome.outAmount) / (1 + effort);
}

function isBetter(found: Found, score: number, than: Found, thanScore: number): boolean {
  return score > thanScore || (score === thanScore && found.outcome.inAmount < than.outcome.inAmount);
}

// ---- by estimate ----------------------------------------------------------------------------------------------------

/** A leg whose state is fresh. */
interface LiveLeg extends Leg {
  state: PoolState;
}

interface Estimate {
  steps: LiveLeg[][];
  path: Path;
  /** What goes into the first step. */
  input: number;
  score: number;
}

interface RankedPlan {
  plan: Plan;
  /** What is offered, the fee on it included. */
  amount: number;
  score: number;
}

/** Plans over the best paths, with splits and without, the best by estimate first; behind them the other paths. */
function rankedPlans(options: SearchOptions): RankedPlan[] {
  const { market, request, routed, maxPools } = options;
  const paths = market.paths(request.input.mint, request.output.mint);
  const cache = new Map<readonly Leg[], LiveLeg[]>();
  const estimates: Estimate[] = [];
  for (const path of paths) {
    if (path.steps.length > (routed ? maxPools : 1)) continue;
    const estimate = estimatePath(path, options, cache);
    if (estimate) estimates.push(estimate);
  }
  estimates.sort((a, b) => b.score - a.score);
  const close = estimates.slice(0, CLOSE_LOOKS).flatMap((estimate) => plansOf(estimate, options));
  close.sort((a, b) => b.score - a.score);
  for (const estimate of estimates.slice(CLOSE_LOOKS)) close.push(planOf(estimate, 1, options));
  return close;
}

function liveLegs(legs: readonly Leg[], { request, now }: SearchOptions, cache: Map<readonly Leg[], LiveLeg[]>) {
  const known = cache.get(legs);
  if (known) return known;
  const live: LiveLeg[] = [];
  for (const leg of legs) {
    if (live.length === MAX_LEGS) break;
    if (request.excludeVenues.has(leg.pool.venue.label.toLowerCase())) continue;
    const state = leg.pool.state(now);
    if (state) live.push({ ...leg, state });
  }
  cache.set(legs, live);
  return live;
}

const inputKept = ({ fee }: SearchOptions['request']) => (fee?.side === 'input' ? 1 - fee.bps / ALL_BPS : 1);
const outputKept = ({ fee }: SearchOptions['request']) => (fee?.side === 'output' ? 1 - fee.bps / ALL_BPS : 1);

function estimatePath(path: Path, options: SearchOptions, cache: Map<readonly Leg[], LiveLeg[]>): Estimate | undefined {
  const { request } = options;
  const steps = path.steps.map((legs) => liveLegs(legs, options, cache));
  if (steps.some((legs) => legs.length === 0)) return undefined;
  const effort = 1 + WORTH_A_POOL * (steps.length - 1);
  let amount = Number(request.amount);
  if (request.mode === 'exact-in') {
    const input = amount * inputKept(request);
    amount = input;
    for (const legs of steps) amount = bestOut(legs, amount);
    return amount > 0 ? { path, steps, input, score: amount / effort } : undefined;
  }
  amount /= outputKept(request);
  for (const legs of steps.toReversed()) amount = leastIn(legs, amount);
  return Number.isFinite(amount) ? { path, steps, input: amount, score: -amount * effort } : undefined;
}

function bestOut(legs: readonly LiveLeg[], amount: number): number {
  let best = 0;
  for (const { state, from } of legs) best = Math.max(best, state.estimateOut(from, amount));
  return best;
}

function leastIn(legs: readonly LiveLeg[], amount: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { state, from } of legs) least = Math.min(least, state.estimateIn(from, amount));
  return least;
}

/** The path with ever fewer splits: the shorter ones for a transaction that has no room for more. */
function plansOf(estimate: Estimate, options: SearchOptions): RankedPlan[] {
  const plans: RankedPlan[] = [];
  for (let parts = MAX_LEGS; parts >= 1; parts--) {
    const ranked = planOf(estimate, parts, options);
    if (ranked.plan.pools <= options.maxPools && ranked.plan.pools !== plans.at(-1)?.plan.pools) plans.push(ranked);
  }
  return plans;
}

function planOf({ path, steps: legs, input }: Estimate, maxParts: number, { request }: SearchOptions): RankedPlan {
  let amount = input;
  const steps: Step[] = [];
  for (const [i, live] of legs.entries()) {
    const dealt = deal(live, amount, maxParts);
    amount = dealt.out;
    steps.push({ input: path.mints[i]!, output: path.mints[i + 1]!, parts: dealt.parts });
  }
  const pools = steps.reduce((count, { parts }) => count + parts.length, 0);
  const effort = 1 + WORTH_A_POOL * (pools - 1);
  // For a given output, more that would come out of the same input stands for less input.
  return { plan: { steps, pools }, amount: input / inputKept(request), score: amount / effort };
}

// ---- splits -----------------------------------------------------------------------------------------------------------

/** The parts of a step that give the most, where each further one is worth it. */
function deal(legs: readonly LiveLeg[], amount: number, maxParts: number): { parts: Part[]; out: number } {
  let [best, out] = [legs[0]!, 0];
  for (const leg of legs) {
    const estimate = leg.state.estimateOut(leg.from, amount);
    if (estimate > out) [best, out] = [leg, estimate];
  }
  let parts: Part[] = [{ ...best, bps: ALL_BPS }];
  if (legs.length === 1 || maxParts === 1) return { parts, out };
  let chunks = dealChunks(legs, amount);
  const order = legs.map((_, i) => i).sort((a, b) => chunks.given[b]! - chunks.given[a]!);
  for (let count = 2; count <= Math.min(maxParts, legs.length); count++) {
    const chosen = order.slice(0, count).map((i) => legs[i]!);
    chunks = dealChunks(chosen, amount);
    if (chunks.given.includes(0) || chunks.out < out * (1 + WORTH_A_POOL)) break;
    out = chunks.out;
    parts = chosen.map((leg, i) => ({ ...leg, bps: (chunks.given[i]! * ALL_BPS) / CHUNKS }));
  }
  // The largest takes what rounding leaves.
  return { parts: parts.sort((a, b) => a.bps - b.bps), out };
}

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
