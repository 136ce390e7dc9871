import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { type Chain, createLiveAccounts, type LiveAccounts } from '../chain/index.js';
import type { Config } from '../config/index.js';
import type { Metrics } from '../http/index.js';
import { type Clock, steadyNow } from '../lib/clock.js';
import type { Disposal } from '../lib/disposal.js';
import type { Parts } from './backends.js';
import type { Prices } from '../prices/index.js';
import { createJupiterZ, type JupiterZ, type MakerEndpoint } from '../routing/makers/index.js';
import { createMetis, type Metis } from '../routing/aggregator/index.js';
import { createRouting, type Routing } from '../routing/race.js';
import { createThirdParty, routingServices } from '../routing/services/index.js';

interface RouterDeps {
  config: Config;
  log: Logger;
  parts: Parts;
  disposal: Disposal;
}

/**
 * The aggregator over the pools of the chain, and the accounts that it watches; resolves when the pools have been looked
 * for. `ownTables`: the sandbox's.
 */
export async function openAggregator(
  { config, log, parts, disposal, metrics }: RouterDeps & { metrics: Metrics },
  ownTables: readonly Address[],
): Promise<{ metis: Metis; live: LiveAccounts }> {
  const { rpc, wsUrl } = parts.chain;
  const live = createLiveAccounts({ rpc, ...(wsUrl !== undefined && { wsUrl }), steadyNow, log });
  disposal.add('live accounts', () => live.close());
  const { programs, swap, tokens } = config;
  const lookupTables = [...swap.lookupTables, ...ownTables];
  const { registry } = metrics;
  const byMint = config.chain.kind === 'outside' && !config.sandbox;
  const hubs = [tokens.usdc.mint, tokens.stable.mint, tokens.platform.mint];
  const metis = await createMetis({
    ...{ rpc, live, steadyNow, log, programs, pools: swap.pools, lookupTables, registry, byMint, hubs },
  });
  disposal.add('aggregator', () => metis.close());
  return { metis, live };
}

/** USD for a whole token by the pools: what it costs in USDC. */
export function poolPriceOf(metis: Metis, usdc: Address): (mint: Address) => number | undefined {
  return (mint) => (mint === usdc ? 1 : metis.spot(mint, usdc));
}

export interface Routers {
  routing: Routing;
  jupiterz: JupiterZ;
}

/** All routers behind one question; `ownMakers` are asked beside the registered ones. */
export function openRouters(
  deps: RouterDeps & { metis: Metis; chain: Chain; clock: Clock; prices: Prices; metrics: Metrics },
  ownMakers: readonly MakerEndpoint[],
): Routers {
  const { config, log, parts, metis, chain, clock, prices, metrics } = deps;
  const { budgetMs } = config.swap;
  const jupiterz = createJupiterZ({
    ...{ store: parts.store, own: ownMakers, chain, clock, steadyNow, log, budgetMs },
    usd: prices.usd,
    orderEngine: config.programs.orderEngine,
  });
  const services = routingServices(config.services, clock).map((service) => createThirdParty(service, chain));
  const routers = [metis, jupiterz, ...services];
  return { routing: createRouting({ routers, budgetMs, steadyNow, log, registry: metrics.registry }), jupiterz };
}
