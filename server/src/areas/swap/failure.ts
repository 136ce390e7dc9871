import type { SwapPrograms } from '../../crafting/swap.js';
import { isVenueSlippage } from '../../crafting/venue-swaps.js';
import { type Explanation, explain, failedFloor, failedProgram, SLIPPAGE } from '../../landing/index.js';

/** `ExceededSlippage` of SPL Token Swap. */
const VENUE_SLIPPAGE = 16;

/** Codes of the aggregator's orders that are no program's. */
export const NOT_SIGNED = -1003;
export const INVALID = -1002;

/**
 * Why a swap has failed, or would. The same number means one thing in the router and another in the order engine: whose
 * it is follows from the instruction that failed.
 */
export function explainSwap(err: unknown, wire: Uint8Array, { router, tokenSwap }: SwapPrograms): Explanation {
  const explained = explain(err);
  const program = failedProgram(err, wire);
  if (program === router && program !== undefined) {
    // The venue's own errors come through the router; its numbers begin at 6000.
    if (explained.code === SLIPPAGE.code || explained.code === VENUE_SLIPPAGE) return SLIPPAGE;
  }
  if (failedFloor(err, wire)) return SLIPPAGE;
  if (program === tokenSwap && explained.code === VENUE_SLIPPAGE) return SLIPPAGE;
  if (program !== undefined && isVenueSlippage(program, explained.code)) return SLIPPAGE;
  return explained;
}
