import type { Leg } from './market.js';
import type { PoolState } from './venue.js';

/** A leg whose state is fresh. */
export interface LiveLeg extends Leg {
  state: PoolState;
}

/** Those whose state is fresh at this steady time, and whose venue may be used. */
export function liveLegs(legs: readonly Leg[], now: number, excluded?: ReadonlySet<string>): LiveLeg[] {
  const live: LiveLeg[] = [];
  for (const { pool, from } of legs) {
    if (excluded && excluded.size > 0 && excluded.has(pool.venue.label.toLowerCase())) continue;
    const state = pool.state(now);
    if (state) live.push({ pool, from, state });
  }
  return live;
}

/** What the best of the pools gives, roughly; 0 where none gives anything. */
export function bestOut(legs: readonly LiveLeg[], amount: number): number {
  let best = 0;
  for (const { state, from } of legs) {
    const out = state.estimateOut(from, amount);
    if (out > best) best = out;
  }
  return best;
}

/** What the cheapest of the pools takes, roughly; Infinity where none has so much. */
export function leastIn(legs: readonly LiveLeg[], amount: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { state, from } of legs) {
    const input = state.estimateIn(from, amount);
    if (input < least) least = input;
  }
  return least;
}

/** The legs that do most for an amount, the best first; no more than so many. */
export function mostFor(legs: readonly LiveLeg[], amount: number, most: number): LiveLeg[] {
  const best: LiveLeg[] = [];
  const outs: number[] = [];
  for (const leg of legs) {
    const out = leg.state.estimateOut(leg.from, amount);
    if (best.length === most && out <= outs[most - 1]!) continue;
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
