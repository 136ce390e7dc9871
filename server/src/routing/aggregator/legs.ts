import type { Address } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import { type Effort, isSpent, WITHOUT_END } from './effort.js';
import type { PoolState, Side, Trade, Venue } from './venue.js';

/** A watched pool. */
export interface Pool {
  readonly address: Address;
  readonly venue: Venue;
  readonly mints: readonly [Address, Address];
  /** Its own account, then the others in the venue's order. */
  readonly accounts: readonly Address[];
  /** Its state by bytes that are fresh at this steady time; undefined if they are stale or it cannot be traded with. */
  state(now: number): PoolState | undefined;
  /** Why nobody can trade with it by bytes that are fresh at this time; undefined if they are stale or somebody can. */
  refusal(now: number): string | undefined;
}

/** A pool, used in one direction. */
export interface Leg {
  pool: Pool;
  from: Side;
}

/** A leg whose state is fresh. */
export interface LiveLeg extends Leg {
  state: PoolState;
}

type Excluded = Pick<QuoteRequest, 'excludeVenues' | 'excludePools' | 'onlyPools'>;

/** The legs whose state is fresh at this steady time and whose pool and venue are not excluded. */
export function liveLegs(legs: readonly Leg[], now: number, excluded?: Excluded): LiveLeg[] {
  const live: LiveLeg[] = [];
  for (const { pool, from } of legs) {
    if (excluded && isExcluded(pool, excluded)) continue;
    const state = pool.state(now);
    if (state) live.push({ pool, from, state });
  }
  return live;
}

/** Whether a request leaves out this pool. */
export function isExcluded({ address, venue }: Pool, { excludeVenues, excludePools, onlyPools }: Excluded): boolean {
  if (excludePools?.has(address) || onlyPools?.has(address) === false) return true;
  return excludeVenues.size > 0 && excludeVenues.has(venue.label.toLowerCase());
}

/** Estimates know no rounding: as much as this share is the same. */
const SAME = 1e-9;

/** What the chain pays of an estimate: of a pool that has less than a unit to give, nothing. */
export const wholeOut = (out: number): number => Math.floor(out * (1 + SAME));
export const wholeIn = (input: number): number => Math.ceil(input * (1 - SAME));

/** A pool pays this share of its estimate, but for so many units on either side, which are lost in rounding. */
const PAID = 0.998;
const ROUNDED = 2;

/** Whether a pool pays less for an amount than its estimate lets expect. */
export function isShort({ state, from }: LiveLeg, amount: bigint, received: bigint): boolean {
  const expected = state.estimateOut(from, Math.max(0, Number(amount) - ROUNDED)) * PAID;
  return Number(received) + ROUNDED < expected;
}

/** A trade that is calculated exactly, in microseconds, roughly, without the steps that it goes. */
const QUOTE = 1;

/** What a pool does with an amount. It is spent even where too little is left: whoever asks for many looks before each. */
export function quoteOf({ state, from }: LiveLeg, amount: bigint, effort: Effort): Trade | undefined {
  effort.left -= QUOTE;
  return state.quote(from, amount, effort);
}

export const paidBy = (leg: LiveLeg, amount: bigint, effort = WITHOUT_END): bigint =>
  (amount > 0n ? quoteOf(leg, amount, effort)?.received : undefined) ?? 0n;

/** Those that give anything for an amount by estimate, with what that is. */
export const bestFirst = (legs: readonly LiveLeg[], amount: bigint): { leg: LiveLeg; out: number }[] =>
  legs
    .map((leg) => ({ leg, out: leg.state.estimateOut(leg.from, Number(amount)) }))
    .filter(({ out }) => out > 0)
    .sort((a, b) => b.out - a.out);

/** Pools of a pair that are asked what they pay, whatever is left of the effort. */
const ALWAYS_ASKED = 8;

/**
 * Output of the best pool, exactly, as far as the effort goes; pools that pay less than they seem to are taken out of the list.
 */
export function mostPaid(legs: LiveLeg[], amount: bigint, effort: Effort): bigint {
  let most = 0n;
  for (const [place, { leg, out }] of bestFirst(legs, amount).entries()) {
    if (wholeOut(out) <= most || (place >= ALWAYS_ASKED && isSpent(effort))) break;
    const paid = paidBy(leg, amount, effort);
    if (paid > most) most = paid;
    if (isShort(leg, amount, paid)) legs.splice(legs.indexOf(leg), 1);
  }
  return most;
}

/** Rough output of the best pool; 0 if none gives anything. */
export function bestOut(legs: readonly LiveLeg[], amount: number): number {
  let best = 0;
  for (const { state, from } of legs) {
    const out = state.estimateOut(from, amount);
    if (out > best) best = out;
  }
  return best;
}

/** Rough input of the cheapest pool; Infinity if none has that much. */
export function leastIn(legs: readonly LiveLeg[], amount: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { state, from } of legs) {
    const input = state.estimateIn(from, amount);
    if (input < least) least = input;
  }
  return least;
}

/** The legs with the best output for an amount, best first; at most `most`, and none that gives nothing. */
export function mostFor(legs: readonly LiveLeg[], amount: number, most: number): LiveLeg[] {
  const best: LiveLeg[] = [];
  const outs: number[] = [];
  for (const leg of legs) {
    const out = leg.state.estimateOut(leg.from, amount);
    if (out <= 0 || (best.length === most && out <= outs[most - 1]!)) continue;
    let at = best.length;
    while (at > 0 && outs[at - 1]! < out) at -= 1;
    best.splice(at, 0, leg);
    outs.splice(at, 0, out);
    if (best.length > most) {
      best.pop();
      outs.pop();
    }
  }
  return best;
}
