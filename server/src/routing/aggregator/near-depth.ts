import type { PoolState, Side } from './venue.js';

/**
 * Depth is counted up to here: prices that differ by so much agree everywhere else. Less would leave out pools with wide
 * steps, whose next bid may lie 4 % lower; more would count what an order at the price never meets.
 */
const NEAR = 1.05;
/** A constant product whose price moves by that factor gives this share of a side, at this factor on the average. */
const SHARE = 1 - 1 / Math.sqrt(NEAR);
const AVERAGE = Math.sqrt(NEAR);
const ROUNDING = 1 + 1e-6;
/** Halves an interval this many times: the result is right to a millionth. */
const HALVINGS = 20;

const other = (side: Side): Side => (side === 0 ? 1 : 0);

/** The price in the middle of the best bid and the best ask: units out per unit in, without the fee. */
export const middlePrice = (state: PoolState, from: Side): number =>
  Math.sqrt(state.price(from) / state.price(other(from)));

/**
 * How much of each token a constant product would hold that trades as much near the price as this pool does, and never
 * more than the pool has. What is on one side only, far from the price, or behind a gap between bid and ask, counts for
 * nothing, so that a pool looks no deeper than a constant product made of the same capital.
 */
export function nearDepth(state: PoolState): [number, number] {
  return [sideDepth(state, 0), sideDepth(state, 1)];
}

function sideDepth(state: PoolState, side: Side): number {
  const from = other(side);
  const price = middlePrice(state, from);
  const depthIn = state.depthIn ?? state.estimateIn;
  const isTraded = (depth: number) => {
    const out = depth * SHARE;
    return depthIn(from, out) * (1 - state.feeShare) * price <= out * AVERAGE * ROUNDING;
  };
  let [least, most] = [0, state.reserves[side]];
  if (!(most > 0) || !(price > 0)) return 0;
  if (isTraded(most)) return most;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (least + most) / 2;
    if (isTraded(middle)) least = middle;
    else most = middle;
  }
  return least;
}
