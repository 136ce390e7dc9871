import type { StepPoint } from '../more-steps.js';
import { sqrtPriceAt } from './ticks.js';
import { type Ladder, MAX_STRETCHES } from './trade.js';

/**
 * What passing a tick with liquidity, or a group of ticks of the adaptive fee, costs in compute units at most. Measured
 * with the program: 7,200 with fixed accounts of ticks, 8,100 with dynamic ones, 9,500 with the adaptive fee.
 */
export const STEP_UNITS = 10_000;
/** What going on to the next account of ticks costs: 400 to 1,500 were measured. A trade goes through three. */
export const ARRAY_UNITS = 2 * 2_000;

const ONE = 2 ** 64;

/**
 * The steps of a ladder. `isBehind`: the trade comes from there, so that what goes out this way comes in the other way.
 * `groups`: the price stands at this tick, and each so many ticks are one more step.
 */
export function stepPoints(ladder: Ladder, isBehind: boolean, groups?: { tick: number; size: number }): StepPoint[] {
  const { aToB, sqrtPrice, rungs } = ladder;
  const gains = new Map(rungs.slice(0, -1).map(({ tick, gain }) => [tick, gain]));
  const last = rungs.at(-1)?.tick;
  if (groups && last !== undefined)
    for (const tick of groupsUntil(last, groups, aToB)) gains.set(tick, gains.get(tick) ?? 0n);
  const start = Number(sqrtPrice) / ONE;
  let [from, liquidity, at] = [start, ladder.liquidity, 0];
  return [...gains]
    .sort(([a], [b]) => (aToB ? b - a : a - b))
    .map(([tick, gain]) => {
      const to = Number(sqrtPriceAt(tick)) / ONE;
      const [ofA, ofB] = [Math.abs(1 / to - 1 / from), Math.abs(to - from)];
      // Going down takes A and gives B; going up takes B and gives A.
      const moved = Number(liquidity) * (aToB === isBehind ? ofB : ofA);
      at += isBehind ? -moved : moved;
      liquidity += gain;
      from = to;
      return { at, change: 2 * Math.abs(Math.log(to / start)) };
    });
}

function groupsUntil(last: number, { tick, size }: { tick: number; size: number }, aToB: boolean): number[] {
  const first = Math.floor(tick / size) + (aToB ? 0 : 1);
  const edges = Array.from({ length: MAX_STRETCHES }, (_, i) => (aToB ? first - i : first + i) * size);
  return edges.filter((edge) => (aToB ? edge > last : edge < last));
}
