import { areApart } from '../lib/apart.js';

/** A price from one source: USD for one whole token. */
export interface PriceQuote {
  usd: number;
  /** Half the width of the source's confidence interval, in USD; 0 if it gives none. */
  confidence: number;
  /** Unix milliseconds. */
  publishedAt: number;
  source: string;
}

export interface PricePolicy {
  /** Milliseconds after which a price is stale. */
  maxAgeMs: number;
  /** The most milliseconds that a source's clock may be ahead. */
  maxAheadMs: number;
  /** The widest confidence allowed, in basis points of the price. */
  maxConfidenceBps: number;
  /** The largest difference allowed between two sources, in basis points. */
  maxDisagreementBps: number;
}

export type Ignored =
  | 'missing'
  | 'not-a-price'
  | 'stale'
  | 'from-the-future'
  | 'older-than-the-last'
  | 'uncertain'
  | 'contradicting'
  | 'shallow'
  | 'unsettled';

/** A price that orders may fire at. */
export interface Tick {
  usd: number;
  publishedAt: number;
}

const BPS = 10_000;

/**
 * Decides whether orders may fire at the sources' current prices of one mint. The first quote is the price; every other
 * usable quote must agree with it. `last` is the tick before: a price older than that is refused.
 */
export function checkPrice(
  quotes: readonly PriceQuote[],
  last: Tick | undefined,
  now: number,
  policy: PricePolicy,
): Tick | Ignored {
  const [quote, ...others] = quotes;
  if (!quote) return 'missing';
  const flaw = flawOf(quote, now, policy);
  if (flaw) return flaw;
  const { usd, publishedAt } = quote;
  // One of the future says nothing: prices of pools have our time, and our clock was set back since.
  if (last && last.publishedAt - now <= policy.maxAheadMs && publishedAt < last.publishedAt)
    return 'older-than-the-last';
  const contradicts = (other: PriceQuote) =>
    flawOf(other, now, policy) === undefined && areApart(other.usd, usd, policy.maxDisagreementBps);
  if (others.some(contradicts)) return 'contradicting';
  return { usd, publishedAt };
}

function flawOf(
  { usd, confidence, publishedAt }: PriceQuote,
  now: number,
  { maxAgeMs, maxAheadMs, maxConfidenceBps }: PricePolicy,
): Ignored | undefined {
  if (!(usd > 0 && Number.isFinite(usd))) return 'not-a-price';
  // Written so that NaN is refused as well.
  if (!(now - publishedAt <= maxAgeMs)) return 'stale';
  if (!(publishedAt - now <= maxAheadMs)) return 'from-the-future';
  if (!(confidence >= 0 && confidence * BPS <= usd * maxConfidenceBps)) return 'uncertain';
  return undefined;
}
