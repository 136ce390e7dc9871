import { MOST_AUTOMATIC_BPS } from '../lib/automatic-slippage.js';
import type { Quote } from './router.js';

type Impact = Pick<Quote, 'priceImpact' | 'isImpactClaimed'>;

/** Basis points by which other trades may move the market until a transaction lands. */
const MARGIN_BPS = 50;
/** The most where the price impact is the word of whoever may keep what the slippage leaves. */
const MOST_CLAIMED_BPS = 100;
const BPS = 10_000n;

/**
 * Default slippage in basis points: a margin for other trades, plus twice the price impact of this one, which is a share:
 * 0.01 is one percent.
 */
export function automaticSlippageBps({ priceImpact, isImpactClaimed }: Impact): number {
  const most = isImpactClaimed ? MOST_CLAIMED_BPS : MOST_AUTOMATIC_BPS;
  return Math.min(most, MARGIN_BPS + Math.ceil(2 * Math.max(0, priceImpact) * 10_000));
}

/** What is left of `amount` after the slippage. Rounded up: of some tokens, a unit is worth much. */
export function leastOf(amount: bigint, slippageBps: bigint): bigint {
  return (amount * (BPS - slippageBps) + BPS - 1n) / BPS;
}
