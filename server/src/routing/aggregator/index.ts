import { type Address, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { LiveAccounts, Rpc } from '../../chain/index.js';
import type { Quote, QuoteRequest, Refusal, Router } from '../router.js';
import { createLookupTables } from './lookup-tables.js';
import type { Plan } from './plan.js';
import { createPools, type Pools } from './pools.js';
import { quoteOf } from './quote.js';
import { calculate, type Found, type SearchOptions, search } from './search.js';
import { createSizer } from './size.js';
import { spotPrice } from './spot.js';
import { allVenues } from './venues/index.js';
import { openPool } from './watched-pool.js';

/** Three steps, two of them over two pools. */
const MAX_POOLS = 5;
/** Each pool costs three subscriptions, and anybody can make pools. */
const MAX_WATCHED = 20_000;
/** A price by the pools is good for so long. */
const SPOT_MS = 250;
const MAX_SPOTS = 10_000;

export interface AggregatorDeps {
  rpc: Rpc;
  live: LiveAccounts;
  steadyNow: () => number;
  log: Logger;
  programs: { router?: Address; tokenSwap: Address };
  /** Pools to route over, beside those that the RPC lists. */
  pools: readonly Address[];
  /** Most pools that are watched, these first; MAX_WATCHED if not given. */
  maxPools?: number;
  /** Lookup tables with which longer routes fit into a transaction. */
  lookupTables?: readonly Address[];
  /**
   * Whether pools are found by the mints that somebody asks for, as on a chain with more pools than can be listed. The
   * first question for a mint may find none yet.
   */
  byMint?: boolean;
  /** Mints beside wrapped SOL with too many pools to find all of them: only those between two of them are. */
  hubs?: readonly Address[];
  /** For the numbers of pools. */
  registry?: Registry;
}

/** Our own aggregator: routes over the pools whose accounts it watches. */
export interface Aggregator extends Router {
  /** Whole tokens of `inMint` for a whole one of `mint`, by the price on which most depth agrees; undefined where no pools are fresh. */
  spot(mint: Address, inMint: Address): number | undefined;
  /**
   * The kinds of pools, with their labels as `excludeVenues` knows them in lower case, how many pools there are, and how
   * many of those found cannot be traded with, by the reasons.
   */
  venues(): { label: string; pools: number; skipped: Record<string, number> }[];
  /** Finds pools now, as it does by itself once or twice a minute. */
  discover(): Promise<void>;
  close(): void;
}

/** Resolves when the pools have been looked for; without an answer of the chain it starts with none. */
export async function createAggregator(deps: AggregatorDeps): Promise<Aggregator> {
  const { live, steadyNow, programs } = deps;
  const venues = allVenues(programs);
  const { byMint = false, hubs = [], maxPools = MAX_WATCHED, pools: configured } = deps;
  const pools = createPools({ ...deps, venues, configured, maxPools, byMint, hubs });
  const lookupTables = createLookupTables(live, deps.lookupTables ?? []);
  const tokenOf = (mint: Address) => ({ mint, ...pools.knownMint(mint)! });
  const builder = { router: programs.router, lookupTables, tokenOf };
  const fits = createSizer(builder);
  const spots = new LRUCache<string, { price: number | undefined; at: number }>({ max: MAX_SPOTS });
  const routed = programs.router !== undefined;

  async function quote(request: QuoteRequest, signal: AbortSignal, maxPools = MAX_POOLS): Promise<Quote | Refusal> {
    const refusal = refusalOf(request, routed) ?? (await unsupportedToken(request, pools));
    if (refusal) return refusal;
    pools.asked.ask(request.input.mint, request.output.mint);
    const found = await find({ market: pools.market(), request, now: steadyNow(), routed, maxPools, fits }, signal);
    if ('refused' in found)
      return pools.asked.isSearching(request.input.mint, request.output.mint) ? early(found) : found;
    const fewer = found.plan.pools - 1;
    return {
      ...quoteOf(found, request, builder),
      ...(fewer > 0 && { simpler: (again: AbortSignal) => quote(request, again, fewer) }),
    };
  }

  /** Orders ask for the same few prices again and again. */
  function spot(mint: Address, inMint: Address): number | undefined {
    const [key, now] = [`${mint} ${inMint}`, steadyNow()];
    const known = spots.get(key);
    if (known && now - known.at < SPOT_MS) return known.price;
    pools.asked.askIfRoom(mint, inMint);
    const price = spotPrice({ pools, now }, mint, inMint);
    spots.set(key, { price, at: now });
    return price;
  }

  async function find(options: SearchOptions, signal: AbortSignal): Promise<Found | Refusal> {
    for (let tries = 0; tries < 2; tries++) {
      const found = search(options);
      if (!found) return noRoute(options);
      if (options.request.owner === undefined) return found;
      const accounts = found.plan.steps.flatMap(({ parts }) => parts.flatMap(({ pool }) => pool.accounts));
      const readings = live.refresh([...new Set(accounts)]);
      const now = await beforeAbort(readings, signal);
      if (now === undefined) return { refused: 'timeout', reason: 'the pools could not be read in time' };
      if ('refused' in now) return now;
      const plan = planBy(found.plan, now);
      const exact = plan && calculate(plan, Number(found.amount), options);
      if (exact) return exact;
    }
    return noRoute(options);
  }

  const kinds = () =>
    [...new Set(venues.map(({ label }) => label))].map((label) => {
      const same = venues.filter((venue) => venue.label === label);
      return {
        label,
        pools: pools.market().pools.filter(({ venue }) => same.includes(venue)).length,
        skipped: summed(same.map(pools.skipped)),
      };
    });
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
    quote: (request, signal) => quote(request, signal),
    spot,
    venues: kinds,
    discover: pools.discover,
    close: pools.close,
  };
}

/** One kind of pool may be of several programs. */
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

function refusalOf({ input, output, fee, amount }: QuoteRequest, routed: boolean): Refusal | undefined {
  if (input.mint === output.mint) return { refused: 'no-route', reason: 'input and output are the same mint' };
  if (amount <= 0n) return { refused: 'no-route', reason: 'the amount must be above 0' };
  if (!fee) return undefined;
  if (!Number.isInteger(fee.bps) || fee.bps < 1 || fee.bps > 9_999)
    return { refused: 'unsupported-request', reason: `a fee of ${fee.bps} basis points: expected 1 to 9999` };
  if (fee.side === 'output' && !routed)
    return { refused: 'unsupported-request', reason: 'a fee on the output needs the router program' };
  return undefined;
}

async function unsupportedToken({ input, output }: QuoteRequest, pools: Pools): Promise<Refusal | undefined> {
  for (const { mint, tokenProgram } of [input, output]) {
    // A mint of SPL Token has no extensions: nothing to read on the way of most quotes.
    if (tokenProgram !== TOKEN_2022_PROGRAM) continue;
    const facts = pools.knownMint(mint) ?? (await pools.mint(mint).catch(() => undefined));
    if (!facts) return { refused: 'unavailable', reason: `the mint ${mint} could not be read` };
    if (facts.unsupported !== undefined) {
      const reason = `the mint ${mint} cannot be priced exactly because of its extension ${facts.unsupported}`;
      return { refused: 'unsupported-token', reason };
    }
  }
  return undefined;
}

function noRoute(options: SearchOptions): Refusal {
  const { market, request, now, routed } = options;
  const between = `from ${request.input.mint} to ${request.output.mint}`;
  const paths = market.paths(request, now);
  const isUsable = paths.filter(({ steps }) => routed || steps.length === 1);
  if (isUsable.length === 0) return { refused: 'no-route', reason: `no pools lead ${between}` };
  if (!isUsable.some(({ steps }) => steps.every((legs) => legs.some(({ pool }) => pool.state(now)))))
    return { refused: 'unavailable', reason: `the accounts of the pools ${between} are not known to be current` };
  if (search({ ...options, fits: () => true }))
    return { refused: 'too-large', reason: `a transaction has no room for the routes ${between}: use a lookup table` };
  return { refused: 'no-route', reason: `the pools ${between} do not take this amount` };
}

/** Before all pools have been looked for. */
const early = ({ refused, reason }: Refusal): Refusal => ({
  refused,
  reason: `${reason}; their pools are being looked for: ask again in a few seconds`,
});

type Readings = Awaited<ReturnType<LiveAccounts['refresh']>>;

async function beforeAbort(readings: Promise<Readings>, signal: AbortSignal): Promise<Readings | Refusal | undefined> {
  const failed = (): Refusal => ({ refused: 'unavailable', reason: 'the pools could not be read' });
  if (signal.aborted) {
    readings.catch(() => {});
    return undefined;
  }
  let abort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([readings.catch(failed), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The same plan by the bytes that were just read; undefined where a pool cannot be traded with any more. */
function planBy(plan: Plan, readings: Readings): Plan | undefined {
  const steps = plan.steps.map((step) => ({
    ...step,
    parts: step.parts.flatMap((part) => {
      const state = openPool(part.pool, readings);
      return typeof state === 'string' ? [] : [{ ...part, state }];
    }),
  }));
  const isWhole = steps.every(({ parts }, i) => parts.length === plan.steps[i]!.parts.length);
  return isWhole ? { ...plan, steps } : undefined;
}
