import type { Address } from '@slipway/wire';
import { areApart, MAX_DISAGREEMENT_BPS } from '../lib/apart.js';
import { type Clock, MAX_AHEAD_MS } from '../lib/clock.js';
import { WHY_IGNORED } from './explain-order.js';
import { checkPrice, type Ignored, type PricePolicy, type PriceQuote, type Tick } from './price-guard.js';

const POLICY: PricePolicy = {
  // The price port refuses a stale price by each source's own limit; a sandbox price stays valid until it is replaced.
  maxAgeMs: Number.POSITIVE_INFINITY,
  maxAheadMs: MAX_AHEAD_MS,
  maxConfidenceBps: 200,
  maxDisagreementBps: MAX_DISAGREEMENT_BPS,
};

export interface TickDeps {
  prices: {
    /** The price that orders may use, or why there is none. */
    forOrders(mint: Address): PriceQuote | { none: Ignored };
    /** What pools say that are deep enough. If they know it, the price of another source must agree with it. */
    poolWitness(mint: Address): number | undefined;
  };
  clock: Clock;
}

/** The price that orders may fire at now, or why there is none. `last`: the one before. */
export function tickOf({ prices, clock }: TickDeps, mint: Address, last: Tick | undefined): Tick | Ignored {
  const price = prices.forOrders(mint);
  if ('none' in price) return price.none;
  const now = clock.now();
  // A price by pools has been compared with other pools already, and no pool is a witness of its own price.
  const pools = price.source === 'pools' ? undefined : prices.poolWitness(mint);
  const witness = pools === undefined ? [] : [{ usd: pools, confidence: 0, publishedAt: now, source: 'pools' }];
  return checkPrice([price, ...witness], last, now, POLICY);
}

/** What a token may be worth, in USD for one whole token. */
export interface Worth {
  lowUsd: number;
  highUsd: number;
  /** Why these are not the same: who says what. */
  doubt?: string;
}

/**
 * What a token may be worth by a price that orders may use: where pools contradict it, from the lower to the higher of both, so that
 * the floor of a fill is made of what makes it higher. What was observed of the pools comes first: whoever moves them for a moment
 * would otherwise have them agree with a feed that is wrong. Or why the price counts for nothing.
 */
export function worthOf(
  { prices, clock }: TickDeps & { prices: { pastWitness(mint: Address): number | undefined } },
  mint: Address,
  price: PriceQuote,
): Worth | { unknown: string } {
  const checked = checkPrice([price], undefined, clock.now(), POLICY);
  if (typeof checked === 'string') return { unknown: `${mint}: ${WHY_IGNORED[checked]}` };
  const { usd } = checked;
  const pools = price.source === 'pools' ? undefined : (prices.pastWitness(mint) ?? prices.poolWitness(mint));
  if (pools === undefined || !areApart(usd, pools, MAX_DISAGREEMENT_BPS)) return { lowUsd: usd, highUsd: usd };
  const doubt = `the feed of ${mint} says ${usd} USD, and its pools say ${pools}`;
  return { lowUsd: Math.min(usd, pools), highUsd: Math.max(usd, pools), doubt };
}
