import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { LiveAccounts, Rpc } from '../../chain/index.js';
import type { Router } from '../router.js';
import { createLookupTables } from './lookup-tables.js';
import { Pools } from './pools.js';
import { Quoter } from './quoter.js';
import { createSpotPrices } from './spot.js';
import type { Venue } from './venue.js';
import { allVenues } from './venues/index.js';

export type { PoolState, Side, Trade, Venue } from './venue.js';
export { allVenues, tokenSwapVenue } from './venues/index.js';

/** Each pool costs three subscriptions, and anybody can create pools. */
const MAX_WATCHED = 20_000;

export interface AggregatorDeps {
  rpc: Rpc;
  live: LiveAccounts;
  steadyNow: () => number;
  log: Logger;
  programs: { router?: Address; tokenSwap: Address };
  /** Pools to route over, beside those that the RPC lists. */
  pools: readonly Address[];
  /** The most pools to watch, `pools` first. Default: MAX_WATCHED. */
  maxPools?: number;
  /** Lookup tables that help longer routes fit into a transaction. */
  lookupTables?: readonly Address[];
  /**
   * Whether pools are found by requested mint, as on a chain with more pools than can be listed. The first request for
   * a mint may not find any yet.
   */
  byMint?: boolean;
  /** Mints, beside wrapped SOL, with too many pools to find all of them: only pools between two hubs are found. */
  hubs?: readonly Address[];
  /** Exposes the numbers of pools. */
  registry?: Registry;
}

/** Our own aggregator: routes over the pools whose accounts it watches. */
export interface Aggregator extends Router {
  /**
   * Whole tokens of `inMint` per whole `mint`, at the price that the most depth agrees on; undefined if no pool is
   * fresh.
   */
  spot(mint: Address, inMint: Address): number | undefined;
  /**
   * The kinds of pools by label (`excludeVenues` has the labels in lower case): the number of pools, and how many of
   * those found cannot be traded with, by reason.
   */
  venues(): { label: string; pools: number; skipped: Record<string, number> }[];
  /** Looks for pools now; it also does so by itself once or twice a minute. */
  discover(): Promise<void>;
  close(): void;
}

/** Resolves after the first search for pools. If the chain does not answer, it starts with none. */
export async function createAggregator(deps: AggregatorDeps): Promise<Aggregator> {
  const { live, steadyNow, programs, byMint = false, hubs = [], maxPools = MAX_WATCHED, pools: configured } = deps;
  const venues = allVenues(programs);
  const pools = new Pools({ ...deps, venues, configured, maxPools, byMint, hubs });
  const lookupTables = createLookupTables(live, deps.lookupTables ?? []);
  const quoter = new Quoter({ pools, live, steadyNow, router: programs.router, lookupTables });
  const kinds = () => kindsOf(venues, pools);
  if (deps.registry) countPools(deps.registry, kinds);
  await Promise.all([pools.discover(), live.refresh(deps.lookupTables ?? []).catch(() => {})]);
  return {
    id: 'metis',
    name: 'Metis',
    nativeSol: false,
    exactOut: true,
    thirdPartyPayer: true,
    paysNetworkFee: false,
    sponsorable: 'gas',
    sendsByItself: false,
    quote: (request, signal) => quoter.quote(request, signal),
    spot: createSpotPrices(pools, steadyNow),
    venues: kinds,
    discover: () => pools.discover(),
    close: () => pools.close(),
  };
}

function kindsOf(venues: readonly Venue[], pools: Pools): ReturnType<Aggregator['venues']> {
  return [...new Set(venues.map(({ label }) => label))].map((label) => {
    const same = venues.filter((venue) => venue.label === label);
    return {
      label,
      pools: pools.market().pools.filter(({ venue }) => same.includes(venue)).length,
      skipped: summed(same.map((venue) => pools.skipped(venue))),
    };
  });
}

/** Several programs may share one label. */
function summed(counts: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [reason, count] of counts.flatMap(Object.entries<number>)) sum[reason] = (sum[reason] ?? 0) + count;
  return sum;
}

function countPools(registry: Registry, kinds: Aggregator['venues']): void {
  new Gauge({
    name: 'slipway_pools',
    help: 'Pools that are watched.',
    labelNames: ['venue'],
    registers: [registry],
    collect() {
      for (const { label, pools } of kinds()) this.set({ venue: label }, pools);
    },
  });
  new Gauge({
    name: 'slipway_pools_skipped',
    help: 'Pools that cannot be traded with, by the reason that was found last.',
    labelNames: ['venue', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { label, skipped } of kinds())
        for (const [reason, count] of Object.entries(skipped)) this.set({ venue: label, reason }, count);
    },
  });
}
