import type { QuoteRequest } from '../router.js';
import type { Leg, Pool } from './market.js';
import type { PoolState } from './venue.js';

/** A leg whose state is fresh. */
export interface LiveLeg extends Leg {
  state: PoolState;
}

type Excluded = Pick<QuoteRequest, 'excludeVenues' | 'excludePools'>;

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
export function isExcluded({ address, venue }: Pool, { excludeVenues, excludePools }: Excluded): boolean {
  if (excludePools?.has(address)) return true;
  return excludeVenues.size > 0 && excludeVenues.has(venue.label.toLowerCase());
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
