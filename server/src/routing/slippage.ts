import { MOST_AUTOMATIC_BPS } from '../lib/automatic-slippage.js';
import type { Quote } from './router.js';

type Impact = Pick<Quote, 'priceImpact' | 'isImpactClaimed'>;

/** Basis points by which other trades may move the market until a transaction lands. */
const MARGIN_BPS = 50;
/** The most where the price impact is the word of whoever may keep what the slippage leaves. */
const MOST_CLAIMED_BPS = 100;

/**
 * Default slippage in basis points: a margin for other trades, plus twice the price impact of this one, which is a share:
 * 0.01 is one percent.
 */
export function automaticSlippageBps({ priceImpact, isImpactClaimed }: Impact): number {
  const most = isImpactClaimed ? MOST_CLAIMED_BPS : MOST_AUTOMATIC_BPS;
  return Math.min(most, MARGIN_BPS + Math.ceil(2 * Math.max(0, priceImpact) * 10_000));
}
