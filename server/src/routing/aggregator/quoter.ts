import { type Address, type LookupTable, TOKEN_2022_PROGRAM } from '@slipway/wire';
import type { LiveAccounts } from '../../chain/index.js';
import type { Quote, QuoteRequest, Refusal } from '../router.js';
import type { Plan } from './plan.js';
import type { Pools } from './pools.js';
import { type Builder, quoteOf } from './quote.js';
import { calculate, type Found, type SearchOptions, search } from './search.js';
import { createSizer } from './size.js';
import { openPool } from './watched-pool.js';

/** Three steps, two of them over two pools. */
const MAX_POOLS = 5;

interface QuoterDeps {
  pools: Pools;
  live: LiveAccounts;
  steadyNow: () => number;
  /** The router program; without it, routes have a single step. */
  router: Address | undefined;
  lookupTables(): LookupTable[];
}

/** Quotes over the known pools. */
export class Quoter {
  readonly #deps: QuoterDeps;
  readonly #builder: Builder;
  readonly #fits: SearchOptions['fits'];

  constructor(deps: QuoterDeps) {
    const { pools, router, lookupTables } = deps;
    this.#deps = deps;
    this.#builder = { router, lookupTables, tokenOf: (mint) => ({ mint, ...pools.knownMint(mint)! }) };
    this.#fits = createSizer(this.#builder);
  }

  /** Quotes over at most `maxPools` pools; with an owner, from bytes that are read now. */
  async quote(request: QuoteRequest, signal: AbortSignal, maxPools = MAX_POOLS): Promise<Quote | Refusal> {
    const { pools, steadyNow, router } = this.#deps;
    const routed = router !== undefined;
    const { mint: from } = request.input;
    const { mint: to } = request.output;
    const refusal = refusalOf(request, routed) ?? (await unsupportedToken(request, pools));
    if (refusal) return refusal;
    pools.asked.ask(from, to);
    const options = { market: pools.market(), request, now: steadyNow(), routed, maxPools, fits: this.#fits };
    const found = await this.#find(options, signal);
    if ('refused' in found) return pools.asked.isSearching(from, to) ? early(found) : found;
    const quote = quoteOf(found, request, this.#builder);
    const fewer = found.plan.pools - 1;
    if (fewer > 0) quote.simpler = (again) => this.quote(request, again, fewer);
    return quote;
  }

  async #find(options: SearchOptions, signal: AbortSignal): Promise<Found | Refusal> {
    for (let tries = 0; tries < 2; tries++) {
      const found = search(options);
      if (!found) return noRoute(options);
      if (options.request.owner === undefined) return found;
      const accounts = found.plan.steps.flatMap(({ parts }) => parts.flatMap(({ pool }) => pool.accounts));
      const readings = this.#deps.live.refresh([...new Set(accounts)]);
      const now = await beforeAbort(readings, signal);
      if (now === undefined) return { refused: 'timeout', reason: 'the pools could not be read in time' };
      if ('refused' in now) return now;
      const plan = planBy(found.plan, now);
      const exact = plan && calculate(plan, Number(found.amount), options);
      if (exact) return exact;
    }
    return noRoute(options);
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
  const paths = market.paths(request, now);
  const isUsable = paths.filter(({ steps }) => routed || steps.length === 1);
  if (isUsable.length === 0) return { refused: 'no-route', reason: `no pools lead ${between}` };
  if (!isUsable.some(({ steps }) => steps.every((legs) => legs.some(({ pool }) => pool.state(now)))))
    return { refused: 'unavailable', reason: `the accounts of the pools ${between} are not known to be current` };
  if (search({ ...options, fits: () => true }))
    return { refused: 'too-large', reason: `a transaction has no room for the routes ${between}: use a lookup table` };
  return { refused: 'no-route', reason: `the pools ${between} do not take this amount` };
}

/** A refusal given before all pools have been searched for. */
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
