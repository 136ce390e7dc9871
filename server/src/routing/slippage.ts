import { MOST_AUTOMATIC_BPS } from '../lib/automatic-slippage.js';

/** Basis points by which other trades may move the market until a transaction lands. */
const MARGIN_BPS = 50;

/**
 * Default slippage in basis points: a margin for other trades, plus twice the price impact of this one. `priceImpact`
 * is a share: 0.01 is one percent.
 */
export function automaticSlippageBps(priceImpact: number): number {
  return Math.min(MOST_AUTOMATIC_BPS, MARGIN_BPS + Math.ceil(2 * Math.max(0, priceImpact) * 10_000));
}
