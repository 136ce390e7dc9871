import type { Address } from '@slipway/wire';
import type { PriceSource } from '../config/index.js';
import { areApart, MAX_DISAGREEMENT_BPS } from '../lib/apart.js';

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

/** A price that orders of users may fire and fill by. */
export type OrderPrice = PriceQuote & { stale: false };

/** Why there is none. `why` is a clause for whoever needs the price. */
export interface NoPrice {
  none: 'missing' | 'stale' | 'uncertain' | 'shallow' | 'contradicting' | 'unsettled';
  why: string;
  /** The source that covers the token, other than the pools, if one does. */
  source?: PriceSource;
}

/** One source of prices. It leaves out prices that it does not have or that must not be used at all. */
export interface PriceFeed {
  readonly source: PriceSource;
  /** Whether this source is meant to price a token, also while it has no price to rely on. */
  covers(mint: Address): boolean;
  read(mint: Address): Omit<PriceQuote, 'source'> | undefined;
  /** Calls the listener when there are new prices to read; returns a function that ends that. */
  onChange?(listener: () => void): () => void;
}

/**
 * USD prices of tokens, from the first configured source that has one. Where a source other than the pools covers a
 * token, the pools never stand in for it.
 */
export interface Prices {
  /** A fresh price; if no source has one, the stale one of the first that has any. */
  quote(mint: Address): PriceQuote | undefined;
  /** USD for one whole token: positive, finite and fresh, or undefined. */
  usd(mint: Address): number | undefined;
  /**
   * A price that orders of users may fire and fill by: of a source that covers the token, or, where none does, of pools
   * under the rules of `prices.pools`.
   */
  forOrders(mint: Address): OrderPrice | NoPrice;
  /** The same for an order that is being made: a price by pools need not have held yet. */
  forNewOrder(mint: Address): OrderPrice | NoPrice;
  /**
   * Has the pools of a token looked for that somebody wants an order of, unless a source covers it. Each further token takes the
   * room of one that others have asked for: a client may do this only as often as it may ask for quotes.
   */
  ask(mint: Address): void;
  /** USD for one whole token by pools that are deep enough, to compare a feed with. */
  poolWitness(mint: Address): number | undefined;
  /** The same in the middle of what was observed of a token that is followed; undefined where that is too little. */
  pastWitness(mint: Address): number | undefined;
  /** Observes the pools of exactly these tokens, beside those that clients ask for; also where a feed covers them. */
  follow(mints: readonly Address[]): void;
  /** Calls the listener when a source other than the pools has new prices; returns a function that ends that. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A token, and which units a feed speaks of: see `MintInfo`. */
export interface PricedToken {
  mint: Address;
  shownScaled?: true;
}

/**
 * USD for one whole token, at a price that money may be spent by: fresh, of the units that accounts hold, and not from
 * pools, because anybody can create a pool at any price. Undefined if there is none.
 */
export function trustedUsd(prices: Pick<Prices, 'quote'>, token: PricedToken): number | undefined {
  const price = prices.quote(token.mint);
  return price && !price.stale && price.source !== 'pools' && !isOfOtherUnits(price, token) ? price.usd : undefined;
}

/** The same, unless pools that are deep enough contradict it as they would for orders. */
export function uncontradictedUsd(
  prices: Pick<Prices, 'quote' | 'poolWitness'>,
  token: PricedToken,
): number | undefined {
  const usd = trustedUsd(prices, token);
  const pools = usd === undefined ? undefined : prices.poolWitness(token.mint);
  if (usd === undefined || pools === undefined) return usd;
  return areApart(usd, pools, MAX_DISAGREEMENT_BPS) ? undefined : usd;
}

/**
 * Whether a feed prices a token by units that are not those of its accounts, because a multiplier lies between them; also
 * when it has no price at the moment.
 */
export function isOfOtherUnits(
  { source }: OrderPrice | NoPrice | PriceQuote,
  { shownScaled }: Omit<PricedToken, 'mint'>,
): boolean {
  return shownScaled === true && source === 'hermes';
}

/** Said of such a token. */
export const OTHER_UNITS = 'its amounts are shown times a multiplier: a price feed does not say what they are worth';
