import type { Address } from '@slipway/wire';
import type { PriceSource } from '../config/index.js';

/** The price of one whole token. */
export interface PriceQuote {
  usd: number;
  /** Half the width of the confidence interval, in USD; 0 if the source gives none. */
  confidence: number;
  /** Unix milliseconds. */
  publishedAt: number;
  source: PriceSource;
  /** Older than the configured maximum: show it as old, never calculate with it. */
  stale: boolean;
}

/** One source of prices. It leaves out prices that it does not have or that must not be used at all. */
export interface PriceFeed {
  readonly source: PriceSource;
  read(mint: Address): Omit<PriceQuote, 'source'> | undefined;
}

/** USD prices of tokens, from the first configured source that has one. */
export interface Prices {
  /** A fresh price; if no source has one, the stale one of the first that has any. */
  quote(mint: Address): PriceQuote | undefined;
  /** USD for one whole token: positive, finite and fresh, or undefined. */
  usd(mint: Address): number | undefined;
  close(): Promise<void>;
}

/**
 * USD for one whole token, at a price that money may be spent by: fresh, and not from pools, because anybody can create
 * a pool at any price. Undefined if there is none.
 */
export function trustedUsd(prices: Pick<Prices, 'quote'>, mint: Address): number | undefined {
  const price = prices.quote(mint);
  return price && !price.stale && price.source !== 'pools' ? price.usd : undefined;
}
