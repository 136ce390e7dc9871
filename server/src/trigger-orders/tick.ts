import type { Address } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import { checkPrice, type Ignored, type PricePolicy, type PriceQuote, type Tick } from './price-guard.js';

const POLICY: PricePolicy = {
  // The price port judges the age by what each source promises; a price of the sandbox stands until it is set.
  maxAgeMs: Number.POSITIVE_INFINITY,
  maxAheadMs: 5_000,
  maxConfidenceBps: 200,
  maxDisagreementBps: 500,
};

interface TickDeps {
  /** `stale`: older than what its source promises. */
  prices: { quote(mint: Address): (PriceQuote & { stale: boolean }) | undefined };
  /** What the pools say a whole token is worth in USD: where they know it, it must agree with the price. */
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
