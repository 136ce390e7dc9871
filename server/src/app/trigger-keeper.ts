import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import type { Config } from '../config/index.js';
import type { KeeperLoop } from '../keeper/index.js';
import { createTriggerKeeper } from '../keeper/trigger-orders/index.js';
import { startTriggerLoop } from '../keeper/trigger-orders/loop.js';
import type { Landing } from '../landing/index.js';
import { type Clock, steadyNow } from '../lib/clock.js';
import { PRICES_CHANNEL, type Prices } from '../prices/index.js';
import type { Aggregator } from '../routing/aggregator/index.js';
import type { Backends } from './backends.js';

/** The keeper of trigger orders, which fills them over our own aggregator. */
export async function openTriggerKeeper(deps: {
  config: Config;
  log: Logger;
  parts: Backends;
  landing: Landing;
  chain: Chain;
  clock: Clock;
  aggregator: Aggregator;
  prices: Prices;
  poolUsd: (mint: Address) => number | undefined;
}): Promise<KeeperLoop> {
  const { config, log, parts, landing, chain, clock, aggregator, prices, poolUsd } = deps;
  const { store, signer } = parts;
  const keeper = await createTriggerKeeper({
    ...{ store, landing, chain, clock, steadyNow, log, router: aggregator, prices, programs: config.programs },
    payer: signer.address('keeper'),
    poolUsd,
    // An embedded store has one process.
    alone: store.kind === 'embedded',
  });
  return startTriggerLoop({ keeper, log, onPrices: (listener) => store.listen(PRICES_CHANNEL, listener) });
}
