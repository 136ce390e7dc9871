import type { Address } from '@slipway/wire';
import type { PriceSource } from '../config/index.js';

/** The price of one whole token. */
export interface PriceQuote {
  usd: number;
  /** Half the width of the interval that the price is in, in USD; 0 where the source tells none. */
  confidence: number;
  /** Unix milliseconds. */
  publishedAt: number;
  source: PriceSource;
  /** Older than the configured bound: to be shown as old, never to be reckoned with. */
  stale: boolean;
}

/** One source of prices. What it does not have, or may not be used at all, it leaves out. */
export interface PriceFeed {
  readonly source: PriceSource;
  read(mint: Address): Omit<PriceQuote, 'source'> | undefined;
}

/** USD prices of tokens, from the first configured source that has one. */
export interface Prices {
  /** A fresh price; where no source has one, the old one of the first that has any. */
  quote(mint: Address): PriceQuote | undefined;
  /** USD for one whole token: positive, finite and fresh, or undefined. */
  usd(mint: Address): number | undefined;
  close(): Promise<void>;
}

/**
 * USD for one whole token by a price that may be spent by: fresh, and not the word of pools, because anybody makes a pool,
 * at any price. Undefined where there is none.
 */
export function trustedUsd(prices: Pick<Prices, 'quote'>, mint: Address): number | undefined {
  const price = prices.quote(mint);
  return price && !price.stale && price.source !== 'pools' ? price.usd : undefined;
}
