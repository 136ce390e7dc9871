import { usdValue } from '../lib/decimal.js';
import type { QuoteRequest, Token } from './router.js';

/** Output per input in USD; beyond these bounds, whoever offers that is mistaken, or the price is. */
const ABSURDLY_GOOD = 1.25;
const ABSURDLY_BAD = 0.5;
/** Smaller amounts are worth too little to compare. */
const LEAST_COMPARED = 100n;

/** USD for one whole token; undefined if unknown. */
export type UsdOf = (token: Token) => number | undefined;

/** Why an offer cannot be meant seriously, judged by the known prices. */
export function absurdity(
  { input, output }: Pick<QuoteRequest, 'input' | 'output'>,
  { inAmount, outAmount }: { inAmount: bigint; outAmount: bigint },
  usd: UsdOf,
): string | undefined {
  const [inUsd, outUsd] = [usd(input), usd(output)];
  if (!inUsd || !outUsd || outAmount < LEAST_COMPARED || inAmount < LEAST_COMPARED) return undefined;
  const ratio = usdValue(outAmount, output.decimals, outUsd) / usdValue(inAmount, input.decimals, inUsd);
  return ratio > ABSURDLY_GOOD || ratio < ABSURDLY_BAD ? `offers ${ratio.toFixed(3)} of what it takes` : undefined;
}
