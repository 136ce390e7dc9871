import type { Address } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import { checkPrice, type Ignored, type PricePolicy, type PriceQuote, type Tick } from './price-guard.js';

const POLICY: PricePolicy = {
  // The price port sets `stale` by each source's own limit; a sandbox price stays valid until it is replaced.
  maxAgeMs: Number.POSITIVE_INFINITY,
  maxAheadMs: 5_000,
  maxConfidenceBps: 200,
  maxDisagreementBps: 500,
};

interface TickDeps {
  /** `stale`: older than its source's limit. */
  prices: { quote(mint: Address): (PriceQuote & { stale: boolean }) | undefined };
  /** USD for one whole token according to the pools. If they know it, the price must agree with it. */
  poolUsd: (mint: Address) => number | undefined;
  clock: Clock;
}

/** The price that orders may fire at now, or why there is none. `last`: the one before. */
export function tickOf({ prices, poolUsd, clock }: TickDeps, mint: Address, last: Tick | undefined): Tick | Ignored {
  const price = prices.quote(mint);
  if (!price) return 'missing';
  if (price.stale) return 'stale';
  const now = clock.now();
  const pools = poolUsd(mint);
  const witness = pools === undefined ? [] : [{ usd: pools, confidence: 0, publishedAt: now, source: 'pools' }];
  return checkPrice([price, ...witness], last, now, POLICY);
}
