import { type Address, TOKEN_2022_PROGRAM } from '@slipway/wire';
import type { LiveAccounts, Reading } from '../../chain/index.js';
import type { Quote, QuoteRequest, Refusal } from '../router.js';
import { newProgress } from './fitting.js';
import { calculate, type Found, type SearchOptions, unbounded } from './found.js';
import { isExcluded, type Leg } from './legs.js';
import type { LookupTables } from './lookup-tables.js';
import type { Plan } from './plan.js';
import type { PoolTrials } from './pool-trials.js';
import type { Pools } from './pools.js';
import { type Builder, quoteOf } from './quote.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import type { TableBook } from './table-book.js';
import { TableNotes } from './table-notes.js';
import { tableFor } from './table-wish.js';
import { openPool } from './watched-pool.js';

/** Three steps, two of them over two pools. */
const MAX_POOLS = 5;
/** Pools whose reasons an answer gives. */
const MAX_REASONS = 3;
/** What a search may take that only decides between two reasons, in microseconds, roughly. */
const MAX_EFFORT = 20_000;

interface QuoterDeps {
  pools: Pools;
  live: LiveAccounts;
  steadyNow: () => number;
  /** The router program; without it, routes have a single step. */
  router: Address | undefined;
  lookupTables: Pick<LookupTables, 'current'>;
  tableBook: TableBook | undefined;
  trials: PoolTrials;
}

/** Quotes over the known pools. */
export class Quoter {
  /** What tables are lacking, and which ones help. */
  readonly tables: TableNotes;
  readonly #deps: QuoterDeps;
  readonly #builder: Builder;
  readonly #roomOf: ReturnType<typeof createSizing>;

  constructor(deps: QuoterDeps) {
    const { pools, router, lookupTables, steadyNow, tableBook: book } = deps;
    this.#deps = deps;
    this.tables = new TableNotes({
      book,
      steadyNow,
      wishOf: (request) => tableFor(this.#optionsFor(request, MAX_POOLS), this.#builder),
    });
    this.#builder = {
      router,
      lookupTables: () => lookupTables.current(),
      used: (tables) => this.tables.used(tables),
      tokenOf: (mint) => ({ mint, ...pools.knownMint(mint)! }),
    };
    this.#roomOf = createSizing(this.#builder);
  }

  /** Quotes over at most `maxPools` pools; with an owner, from bytes that are read now. */
  async quote(request: QuoteRequest, signal: AbortSignal, maxPools = MAX_POOLS): Promise<Quote | Refusal> {
    const { pools, router } = this.#deps;
    const { mint: from } = request.input;
    const { mint: to } = request.output;
    const refusal = refusalOf(request, router !== undefined) ?? (await unsupportedToken(request, pools));
    if (refusal) return refusal;
    if (request.forLimitOrder) pools.asked.askInTurn(from, to);
    else pools.asked.ask(from, to);
    if (maxPools === MAX_POOLS && !request.excludePools) this.tables.asked(request);
    const found = await this.#find(this.#optionsFor(request, maxPools), signal);
    if ('refused' in found) return pools.asked.isSearching(from, to) ? early(found) : found;
    const quote = quoteOf(found, request, this.#builder);
    const fewer = found.plan.pools - 1;
    if (fewer > 0) quote.simpler = (again) => this.quote(request, again, fewer);
    quote.without = (hops, again) => {
      const { excludePools = [] } = request;
      for (const { venue, inputMint } of hops) void this.#deps.trials.suspect(venue, inputMint);
      const without = new Set([...excludePools, ...hops.map(({ venue }) => venue)]);
      return this.quote({ ...request, excludePools: without }, again, maxPools);
    };
    return quote;
  }

  #optionsFor(request: QuoteRequest, maxPools: number): SearchOptions {
    const { pools, steadyNow, router } = this.#deps;
    const room = this.#roomOf(request);
    return { market: pools.market(), request, now: steadyNow(), routed: router !== undefined, maxPools, room };
  }

  async #find(options: SearchOptions, signal: AbortSignal): Promise<Found | Refusal> {
    for (let tries = 0; tries < 2; tries++) {
      const found = search(options);
      if (!found) return noRoute(options);
      if (options.request.owner === undefined) return found;
      const accounts = found.plan.steps.flatMap(({ parts }) => parts.flatMap(({ pool }) => pool.accounts));
      const readings = this.#read([...new Set(accounts)], options.request);
      const now = await beforeAbort(readings, signal);
      if (now === undefined) return { refused: 'timeout', reason: 'the pools could not be read in time' };
      if ('refused' in now) return now;
      const plan = planBy(found.plan, now);
      const exact = plan && calculate(plan, Number(found.amount), options);
      if (exact && options.room.excess(exact) <= 0) return exact;
    }
    return noRoute(options);
  }

  #read(accounts: readonly Address[], { forFill }: QuoteRequest): Promise<Readings> {
    const { live } = this.#deps;
    return forFill ? forFill.read(live, accounts) : live.refresh(accounts);
  }
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
    // SPL Token mints have no extensions, so most quotes read nothing here.
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
  const found = market.paths(request, now).map(({ steps }) => steps);
  const isAllowed = ({ pool }: Leg) => !isExcluded(pool, request);
  const paths = found
    .filter((steps) => routed || steps.length === 1)
    .map((steps) => steps.map((legs) => legs.filter(isAllowed)))
    .filter((steps) => steps.every((legs) => legs.length > 0));
  if (paths.length === 0) {
    const more = found.length > 0 && (request.excludeVenues.size > 0 || request.excludePools) ? 'no other' : 'no';
    return { refused: 'no-route', reason: `${more} pools lead ${between}` };
  }
  const isClosed = ({ pool }: Leg) => pool.refusal(now) !== undefined;
  if (paths.every((steps) => steps.some((legs) => legs.every(isClosed)))) {
    const closed = paths.flatMap((steps) => steps.filter((legs) => legs.every(isClosed)).flat());
    return { refused: 'no-route', reason: `nobody can trade with the pools ${between} now: ${whyClosed(closed, now)}` };
  }
  if (!paths.some((steps) => steps.every((legs) => legs.some(({ pool }) => pool.state(now)))))
    return { refused: 'unavailable', reason: `the accounts of the pools ${between} are not known to be current` };
  if (search({ ...options, room: unbounded(options.room, () => 0) }, newProgress(MAX_EFFORT)))
    return { refused: 'too-large', reason: `a transaction has no room for the routes ${between}: use a lookup table` };
  return { refused: 'no-route', reason: `the pools ${between} do not take this amount` };
}

/** A few of the pools with their reasons. */
function whyClosed(legs: readonly Leg[], now: number): string {
  const pools = [...new Set(legs.map(({ pool }) => pool))];
  const some = pools.slice(0, MAX_REASONS);
  const reasons = some.map((pool) => `${pool.venue.label} ${pool.address}: ${pool.refusal(now)}`);
  return [...reasons, ...(pools.length > some.length ? [`${pools.length - some.length} more`] : [])].join('; ');
}

/** A refusal given before all pools have been searched for: a later answer may be another one. */
const early = ({ reason }: Refusal): Refusal => ({
  refused: 'unavailable',
  reason: `${reason}; their pools are being looked for: ask again in a few seconds`,
});

type Readings = ReadonlyMap<Address, Reading>;

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

/** The same plan with the bytes that were just read; undefined if a pool can no longer be traded with. */
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
