import type { Address } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import { WORTH_A_POOL } from './deal.js';
import { isSpent, WITHOUT_END } from './effort.js';
import type { LiveLeg } from './legs.js';
import type { Market, Path } from './market.js';
import { ALL_BPS, amountFor, type Outcome, type Plan, run } from './plan.js';

export interface SearchOptions {
  market: Market;
  request: QuoteRequest;
  /** Steady milliseconds. */
  now: number;
  /** Whether our router program runs the route; otherwise it has a single step. */
  routed: boolean;
  /** The most pools of a route. */
  maxPools: number;
  room: Room;
}

export type Names = Pick<ReadonlySet<Address>, 'has'>;

/** The room that a transaction has for a trade. */
export interface Room {
  /** Bytes by which a plan's transaction is too large; 0 or less if it fits. */
  excess(sized: Pick<Found, 'plan' | 'outcome'>): number;
  /**
   * Bytes that these pools add to the transaction of any plan over the same mints, at least; accounts that are `shared`
   * are there in any case.
   */
  weigh(parts: readonly LiveLeg[], shared: Names): number;
  /**
   * Bytes that any plan over these mints has too many, without what its pools weigh; `measured` by one of them unless
   * that is known of a request like this.
   */
  base(mints: readonly Address[], measured: () => number): number;
  /** The program and the accounts of a pool's instruction, each once. */
  named(leg: LiveLeg): readonly Address[];
  /** Equal for pools that take nearly the same share of a transaction. */
  kindOf(leg: LiveLeg): string;
  /** Bytes by which a weight may be too much, because plans may use different lookup tables. */
  slack: number;
}

/**
 * A room for plans of another size. What pools and paths weigh in it is not known, and what is kept of them is of the room
 * as it is.
 */
export const unbounded = (room: Room, excess: Room['excess']): Room => ({
  ...room,
  excess,
  weigh: () => 0,
  base: () => Number.NEGATIVE_INFINITY,
});

/** A plan that has been calculated exactly. */
export interface Found {
  plan: Plan;
  /** The amount to offer: the request's, or what was found for its output. */
  amount: bigint;
  outcome: Outcome;
}

/** A path by estimate. */
export interface Estimate {
  path: Path;
  steps: LiveLeg[][];
  /** Input of the first step. */
  input: number;
  score: number;
}

export interface Scored {
  found: Found;
  score: number;
}

/** The share of the input that is traded, and of the output that arrives. */
export function keptOf({ fee }: QuoteRequest): { input: number; output: number } {
  const kept = fee ? 1 - fee.bps / ALL_BPS : 1;
  return { input: fee?.side === 'input' ? kept : 1, output: fee?.side === 'output' ? kept : 1 };
}

/** Calculates a plan exactly, where the effort suffices; `guess` is near the input that a given output takes. */
export function calculate(
  plan: Plan,
  guess: number,
  { request, routed }: Pick<SearchOptions, 'request' | 'routed'>,
  effort = WITHOUT_END,
): Found | undefined {
  if (isSpent(effort)) return undefined;
  const { mode, amount, fee } = request;
  if (mode === 'exact-out') {
    const exact = amountFor(plan, amount, guess, { fee, routed, effort });
    return exact && { plan, ...exact };
  }
  const outcome = run(plan, amount, { fee, routed, effort });
  return outcome && { plan, amount, outcome };
}

export function scored(found: Found, { request }: SearchOptions): Scored {
  const { plan, outcome } = found;
  const worth = request.mode === 'exact-in' ? Number(outcome.outAmount) : -Number(outcome.inAmount);
  return { found, score: discounted(worth, plan.pools) };
}

/** The score of an output, or of an input as a negative number, that needs this many pools. */
export function discounted(worth: number, pools: number): number {
  const effort = 1 + WORTH_A_POOL * (pools - 1);
  return worth < 0 ? worth * effort : worth / effort;
}

export function better(one: Scored, other: Scored | undefined): Scored {
  if (!other || one.score > other.score) return one;
  const isCheaper = one.score === other.score && one.found.outcome.inAmount < other.found.outcome.inAmount;
  return isCheaper ? one : other;
}
