import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { createLiveAccounts, type LiveAccounts } from '../chain/index.js';
import { type PoolSource, type Prices, trustedUsd } from '../prices/index.js';
import type { UsdOf } from '../routing/absurdity.js';
import { type Aggregator, createAggregator, createMemory, createTableBook } from '../routing/aggregator/index.js';
import { createMakers, type MakerEndpoint, type Makers, makersTimeout } from '../routing/makers/index.js';
import { createRouting, type Routing } from '../routing/race.js';
import { createServiceRouter, routingServices } from '../routing/services/index.js';
import type { Base } from './base.js';

/**
 * The aggregator over the chain's pools, and the accounts that it watches; resolves after the first search for pools.
 * `ownTables`: the sandbox's lookup tables.
 */
export async function openAggregator(
  { config, log, node, chains, store, signer, clock, steadyNow, disposal, metrics }: Base,
  ownTables: readonly Address[],
): Promise<{ aggregator: Aggregator; live: LiveAccounts }> {
  const { wsUrl } = node;
  const chain = chains.quotes;
  const { rpc } = chain;
  const firstRpc = chains.keeper.rpc;
  const live = createLiveAccounts({ rpc, firstRpc, ...(wsUrl !== undefined && { wsUrl }), steadyNow, log });
  disposal.add('live accounts', () => live.close());
  const { programs, swap, tokens } = config;
  const lookupTables = [...swap.lookupTables, ...ownTables];
  const { registry } = metrics;
  const byMint = config.chain.kind === 'outside' && !config.sandbox;
  const hubs = [tokens.usdc.mint, tokens.stable.mint, tokens.platform.mint];
  const aggregator = await createAggregator({
    rpc,
    chain,
    // The gas wallet needs SOL only where it pays for others.
    payer: () => signer.address('keeper'),
    live,
    steadyNow,
    log,
    programs,
    pools: swap.pools,
    lookupTables,
    registry,
    byMint,
    hubs,
    mints: swap.foundMints,
    memory: createMemory({ store, clock, log }),
    tableBook: createTableBook({ store, clock, log, takesWishes: swap.tableBudgetSol > 0 }),
  });
  disposal.add('aggregator', () => aggregator.close());
  return { aggregator, live };
}

/** USD price of a whole token by the pools: its price in USDC. */
export function poolPriceOf(aggregator: Aggregator, usdc: Address): (mint: Address) => number | undefined {
  return (mint) => (mint === usdc ? 1 : aggregator.spot(mint, usdc));
}

/** What prices of pools for orders are made from: the pools with USDC, SOL and the operator's own tokens. */
export function poolSourceOf(
  aggregator: Pick<Aggregator, 'quotesOf' | 'ask' | 'keep'>,
  { usdc, stable, platform }: Record<'usdc' | 'stable' | 'platform', { mint: Address }>,
): { source: PoolSource; anchors: readonly Address[] } {
  return {
    source: {
      quotes: aggregator.quotesOf,
      ask: (mint) => aggregator.ask(mint, usdc.mint),
      keep: aggregator.keep,
    },
    anchors: [...new Set([usdc.mint, WRAPPED_SOL_MINT, stable.mint, platform.mint])],
  };
}

export interface Routers {
  routing: Routing;
  makers: Makers;
}

/** All routers as one; `ownMakers` are asked besides the registered ones. */
export function openRouters(
  deps: Base & { aggregator: Aggregator; prices: Prices },
  ownMakers: readonly MakerEndpoint[],
): Routers {
  const { config, log, store, secrets, signer, aggregator, chains, clock, steadyNow, prices, metrics } = deps;
  const chain = chains.quotes;
  const { budgetMs } = config.swap;
  // Of no pools: whoever moves one would have each honest offer absurd beside it, and left out where it protects the taker.
  const usd: UsdOf = (token) => trustedUsd(prices, token);
  const makers = createMakers({
    store,
    box: secrets,
    signer,
    own: ownMakers,
    chain,
    clock,
    steadyNow,
    log,
    timeoutMs: makersTimeout(budgetMs),
    usd,
    orderEngine: config.programs.orderEngine,
  });
  const services = routingServices(config.services, clock).map((service) =>
    createServiceRouter(service, { chain, usd, steadyNow }),
  );
  const routers = [aggregator, makers, ...services];
  return { routing: createRouting({ routers, budgetMs, steadyNow, log, registry: metrics.registry }), makers };
}
