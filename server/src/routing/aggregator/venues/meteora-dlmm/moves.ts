import type { StepPoint } from '../more-steps.js';
import { binsOf, MAX_BINS, type Way } from './trade.js';

/** What one more bin costs in compute units: 6,100 were measured with the program. */
export const BIN_UNITS = 6_500;
/** What an account of bins more costs: 2,000, and 280 for each of its empty bins. */
export const ARRAY_UNITS = 20_000;

const ONE = 2 ** 64;

/** The steps from bin to bin. `isBehind`: the trade comes from there, so that what these bins pay out comes in. */
export function stepPoints(way: Way, isBehind: boolean): StepPoint[] {
  const { pair, xToY } = way;
  const points: StepPoint[] = [];
  const step = Math.log(1 + pair.binStep / 10_000);
  let at = 0;
  for (const each of binsOf(way)) {
    if (!each || points.length === MAX_BINS) break;
    const { id, bin } = each;
    const paid = bin.layers.reduce((sum, layer) => sum + Number(layer), 0);
    const ofX = Number(bin.price) / ONE;
    at += isBehind ? -paid : xToY ? paid / ofX : paid * ofX;
    points.push({ at, change: step * (Math.abs(id - pair.activeId) + 1) });
  }
  return points;
}
