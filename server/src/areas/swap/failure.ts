import { isVenueSlippage } from '@slipway/checks';
import type { Address } from '@slipway/wire';
import type { SwapPrograms } from '../../crafting/swap.js';
import { type Explanation, explain, failedFloor, failedProgram, SLIPPAGE } from '../../landing/index.js';

/** `ExceededSlippage` of SPL Token Swap. */
const VENUE_SLIPPAGE = 16;

/** Codes for the aggregator's orders that come from no program. */
export const NOT_SIGNED = -1003;
export const INVALID = -1002;

/**
 * Why a swap has failed, or would fail. The router and the order engine use the same numbers for different errors; the
 * failed instruction tells which program's error it is.
 */
export function explainSwap(
  err: unknown,
  wire: Uint8Array,
  { router, tokenSwap }: SwapPrograms,
  outputMint?: Address,
): Explanation {
  const explained = explain(err);
  const program = failedProgram(err, wire);
  if (program === router && program !== undefined) {
    // The venue's own errors come through the router; its numbers begin at 6000.
    if (explained.code === SLIPPAGE.code || explained.code === VENUE_SLIPPAGE) return SLIPPAGE;
  }
  const floor = failedFloor(err, wire);
  // Otherwise the input's account holds less than when the swap was crafted.
  if (floor !== undefined && floor === outputMint) return SLIPPAGE;
  if (program === tokenSwap && explained.code === VENUE_SLIPPAGE) return SLIPPAGE;
  if (program !== undefined && isVenueSlippage(program, explained.code)) return SLIPPAGE;
  return explained;
}
