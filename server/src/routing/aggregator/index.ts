import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Chain, LiveAccounts, Rpc } from '../../chain/index.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import type { Router } from '../router.js';
import { type ListedPool, listPools } from './listed-pools.js';
import { createLookupTables, type LookupTables } from './lookup-tables.js';
import type { Memory } from './memory.js';
import { FOUND_MINTS, type FoundMints } from './mint-scans.js';
import { PoolTrials } from './pool-trials.js';
import { Pools } from './pools.js';
import { Quoter } from './quoter.js';
import { createSpotPrices, type PoolWord, poolWords } from './spot.js';
import type { TableBook } from './table-book.js';
import type { Venue } from './venue.js';
import { allVenues } from './venues/index.js';

export { createMemory } from './memory.js';
export type { FoundMints } from './mint-scans.js';
export { readMint } from './mints.js';
export { PoolsPage, PoolsQuery, poolsPage } from './pools-page.js';
export { createTableBook } from './table-book.js';
export type { PoolState, Side, Trade, Venue } from './venue.js';
export { allVenues, tokenSwapVenue } from './venues/index.js';

/** Each pool costs three subscriptions, and anybody can create pools. */
const MAX_WATCHED = 20_000;
const TABLES_MS = 10_000;
/** The longest that a start waits for the pools that were in use before. */
const WARM_UP_MS = 10_000;

export { VENUE_LABELS } from './venues/index.js';

export interface AggregatorDeps {
  rpc: Rpc;
  chain: Pick<Chain, 'latestBlockhash' | 'simulate'>;
  /** A wallet of ours that has SOL: it pays where pools are tried out, which is only simulated. */
  payer: () => Address;
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
  /** The tables that the keepers make beside those. */
  tableBook?: TableBook;
  /** How often these are exchanged for what is lacking, in milliseconds; for tests. */
  tablesMs?: number;
  /**
   * Whether pools are found by requested mint, as on a chain with more pools than can be listed. The first request for
   * a mint may not find any yet.
   */
  byMint?: boolean;
  /** Mints, beside wrapped SOL, with too many pools to find all of them: only pools between two hubs are found. */
  hubs?: readonly Address[];
  /** The most mints, or pairs of hubs, whose pools are found, for open orders and for clients. */
  mints?: FoundMints;
  /** Where the pools in use are remembered for the next start. */
  memory?: Memory;
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
  /** What each pool says that trades a token for one of `inMints`, or that it says nothing at the moment. */
  quotesOf(mint: Address, inMints: readonly Address[]): PoolWord[];
  /** Looks for the pools between two tokens, as a quote does. */
  ask(a: Address, b: Address): void;
  /** Looks for the pools of exactly these tokens; what clients ask for cannot push them out. */
  keep(mints: readonly Address[]): void;
  /**
   * The kinds of pools by label (`excludeVenues` has the labels in lower case): the number of pools, and how many of
   * those found cannot be traded with, by reason.
   */
  venues(): { label: string; pools: number; skipped: Record<string, number> }[];
  /** What is watched, of one token or all, the deepest first: up to `most` pools, and how many there are. */
  pools(wanted: { mint: Address | undefined; most: number }): { pools: ListedPool[]; count: number };
  /** Includes a pool that was just made here, before a search finds it; resolves when it is known. Never rejects. */
  learn(pool: Address): Promise<void>;
  /** Looks for pools now; it also does so by itself once or twice a minute. */
  discover(): Promise<void>;
  /** Uses the tables that the keepers have made, and tells them what is lacking; it also does so every ten seconds. */
  exchangeTables(): Promise<void>;
  close(): void;
}

/**
 * Resolves after the first search for pools, and when those that were in use before can be traded with, unless that
 * takes long. If the chain does not answer, it starts with none.
 */
export async function createAggregator(deps: AggregatorDeps): Promise<Aggregator> {
  const { live, steadyNow, programs, byMint = false, hubs = [], maxPools = MAX_WATCHED, pools: configured } = deps;
  const { mints = FOUND_MINTS } = deps;
  const venues = allVenues(programs);
  const pools = new Pools({ ...deps, venues, configured, maxPools, byMint, hubs, mints });
  const lookupTables = createLookupTables(live, deps.lookupTables ?? []);
  const trials = new PoolTrials({ ...deps, pools });
  const { router } = programs;
  const quoter = new Quoter({ pools, live, steadyNow, router, lookupTables, trials, tableBook: deps.tableBook });
  const tables = exchange(deps, lookupTables, quoter);
  const kinds = () => kindsOf(venues, pools);
  if (deps.registry) countPools(deps.registry, kinds);
  await Promise.all([pools.discover(), live.refresh(deps.lookupTables ?? []).catch(() => {})]);
  await waitAtMost(
    WARM_UP_MS,
    Promise.all([pools.recall(), tables.run()]).then(() => {}),
  );
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
    quotesOf: (mint, inMints) => poolWords(pools, steadyNow(), mint, inMints),
    ask: (a, b) => pools.asked.ask(a, b),
    keep: (mints) => pools.asked.keep(mints),
    venues: kinds,
    pools: (wanted) => listPools(pools, steadyNow(), wanted),
    learn: (pool) => pools.learn(pool),
    discover: () => pools.discover(),
    exchangeTables: () => tables.run(),
    close() {
      tables.close();
      pools.close();
    },
  };
}

/** Exchanges tables and wishes with the keepers, by a timer and when the tables change. */
function exchange(
  { tableBook, tablesMs = TABLES_MS, live, log }: AggregatorDeps,
  lookupTables: LookupTables,
  quoter: Quoter,
) {
  const load = async () => {
    const addresses = await tableBook?.load();
    if (!addresses) return;
    const added = lookupTables.use(addresses);
    if (added.length > 0) await live.refresh(added).catch(() => {});
  };
  const run = async () => {
    await Promise.all([load(), quoter.tables.tell()]);
  };
  const runSafely = () =>
    run().catch((error: Error) => log.warn({ reason: error.message }, 'what lookup tables lack cannot be found out'));
  const timer = tableBook && setInterval(() => void runSafely(), tablesMs).unref();
  const unlisten = tableBook?.onChange(() => void load());
  unlisten?.catch(() => {});
  return {
    run,
    close() {
      clearInterval(timer);
      lookupTables.close();
      unlisten?.then((stop) => stop()).catch(() => {});
    },
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
