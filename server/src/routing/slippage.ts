/** Basis points that other trades may move the market by until a transaction lands. */
const MARGIN_BPS = 50;
const MOST_BPS = 1_000;

/**
 * What a trade may lose against its quote where nobody has said it, in basis points: a margin for other trades, and twice
 * what this one moves the market by. `priceImpact` is a share: 0.01 is one percent.
 */
export function automaticSlippageBps(priceImpact: number): number {
  return Math.min(MOST_BPS, MARGIN_BPS + Math.ceil(2 * Math.max(0, priceImpact) * 10_000));
}
