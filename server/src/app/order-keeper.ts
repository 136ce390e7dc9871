import { LIMIT_ORDER_PROGRAM, type LimitOrderAddresses } from '@slipway/programs';
import type { Logger } from 'pino';
import type { Chain, LiveAccounts } from '../chain/index.js';
import type { Config } from '../config/index.js';
import type { Metrics } from '../http/index.js';
import { createLimitOrderKeeper } from '../keeper/limit-orders/index.js';
import { type LimitOrderLoop, startLimitOrderLoop } from '../keeper/limit-orders/loop.js';
import type { Landing } from '../landing/index.js';
import { type AdjustableClock, steadyNow } from '../lib/clock.js';
import { type Prices, trustedUsd } from '../prices/index.js';
import type { Aggregator } from '../routing/aggregator/index.js';
import type { Backends } from './backends.js';

export interface OrderKeeperDeps {
  config: Config;
  log: Logger;
  parts: Backends;
  chain: Chain;
  clock: AdjustableClock;
  landing: Landing;
  metrics: Metrics;
  aggregator: Aggregator;
  live: LiveAccounts;
  prices: Prices;
  addresses: LimitOrderAddresses;
}

/** Not where the program is the hosted one of the public clusters: its orders are filled by its own keepers. */
export function fillsOrders({ sandbox, programs }: Config): boolean {
  return sandbox || programs.limitOrder !== LIMIT_ORDER_PROGRAM;
}

/** Starts what fills and cancels limit orders, where that is ours to do. */
export function openOrderKeeper(deps: OrderKeeperDeps): LimitOrderLoop[] {
  const { config, log, parts, chain, clock, landing, metrics, aggregator, live, prices, addresses } = deps;
  if (!fillsOrders(config)) return [];
  const keeper = createLimitOrderKeeper({
    ...{ store: parts.store, landing, chain, clock, steadyNow, log, registry: metrics.registry },
    taker: parts.signer.address('keeper'),
    router: aggregator,
    usd: (mint) => trustedUsd(prices, mint),
    addresses,
    programs: config.programs,
  });
  return [startLimitOrderLoop({ keeper, onMarketChange: live.onChange, log })];
}
