import type { Address } from '@slipway/wire';
import { speaksAgainstPools } from '../../landing/index.js';
import { type Hop, isRefused, type QuoteRequest, type Token, tokenOf } from '../../routing/router.js';
import { type FailedFill, failedFills } from '../../store/failed-fills.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { FillDeps } from './deps.js';
import { findOffer, type Market, type Offer } from './offers.js';
import type { Sale } from './sale.js';
import { readFillPayload } from './settlement.js';

/** Which pools a fill may go over. */
export type PoolChoice = Pick<QuoteRequest, 'excludePools' | 'onlyPools'>;

interface Trade {
  sale: Sale;
  input: Token;
  output: Token;
}

interface Found {
  market: Market;
  offer: Offer | { skipped: string };
  pools: PoolChoice;
}

/** What is sold to find the deepest pools, in times what an order sells: pools that are small take next to nothing of it. */
const MUCH = [1_000n, 30n];
const MOST_SOLD = 2n ** 63n;
const BLAME_MS = 2_000;
/** From so many failures on the chain on, the deepest pools alone come first. */
const MANY = 2;
/** In percent: what fewer pools must give of what more would. */
const WORTH = 95n;
const ALL: PoolChoice = {};
const EVERYWHERE = { excludeVenues: new Set<string>(), excludePools: new Set<Address>() };

/**
 * The market that a fill goes to. Left out are pools over which fills have failed on the chain: what looks best may be gone whenever
 * a fill lands. They are taken again where the others do not do.
 */
export async function chooseMarket(
  deps: FillDeps,
  trade: Trade,
  open: (pools: PoolChoice) => Market | { skipped: string },
  signal: AbortSignal,
): Promise<Found | { skipped: string }> {
  const { sale } = trade;
  const look = async (pools: PoolChoice): Promise<Found | { skipped: string }> => {
    const market = open(pools);
    return 'skipped' in market ? market : { market, offer: await findOffer(market, sale.amount), pools };
  };
  const resting = deps.failing.resting();
  const routes = sale.failures === 0 ? [] : failedRoutes(deps, await failedFills(deps.store, sale));
  if (routes.length === 0) {
    const all = await look(ALL);
    if (resting.size === 0) return all;
    const others = await look({ excludePools: resting });
    return isWorth(others, all, sale) ? others : all;
  }
  const deepest = await deepestPools(deps, trade, signal);
  const leftOut = new Set([...resting, ...poolsOf(routes, deepest)]);
  let found = await look({ excludePools: leftOut });
  if (!isFound(found) && leftOut.size > 0) found = await look(ALL);
  if (routes.length < MANY || deepest.size === 0 || [...deepest].some((pool) => leftOut.has(pool))) return found;
  const deep = await look({ onlyPools: deepest });
  return isWorth(deep, found, sale) ? deep : found;
}

const isFound = (found: Found | { skipped: string }): found is Found & { offer: Offer } =>
  !('skipped' in found) && !('skipped' in found.offer);

/** Whether a market of fewer pools takes all of a sale, for about as much as the other one gives. */
function isWorth(fewer: Found | { skipped: string }, more: Found | { skipped: string }, { amount }: Sale): boolean {
  if (!isFound(fewer) || fewer.offer.amount < amount) return false;
  if (!isFound(more) || more.offer.amount < amount) return true;
  return fewer.offer.quote.outAmount * 100n >= more.offer.quote.outAmount * WORTH;
}

/** The pools of the routes that have failed, newest first. */
function failedRoutes({ programs }: FillDeps, fills: readonly FailedFill[]): Address[][] {
  const routes = fills
    .filter((fill) => speaksAgainstPools(fill, programs.router))
    .map((fill) => readFillPayload(fill).pools ?? []);
  return routes.filter((pools) => pools.length > 0);
}

/** The deepest are to blame only where a route went over no others, and then for one try: most often the market has moved. */
function poolsOf(routes: readonly Address[][], deepest: ReadonlySet<Address>): Address[] {
  return routes.flatMap((pools, age) => {
    const others = pools.filter((pool) => !deepest.has(pool));
    return others.length > 0 || age > 0 ? others : pools;
  });
}

/** Of each step of the route that takes much more than the order sells, the pool that takes the most. Reads nothing from the chain. */
async function deepestPools(
  { router }: Pick<FillDeps, 'router'>,
  { sale, input, output }: Trade,
  signal: AbortSignal,
): Promise<Set<Address>> {
  for (const times of MUCH) {
    const amount = sale.amount * times < MOST_SOLD ? sale.amount * times : MOST_SOLD;
    const request = { mode: 'exact-in', input, output, amount, ...EVERYWHERE } as const;
    const quote = await router.quote(request, signal);
    if (isRefused(quote)) continue;
    const most = new Map<string, Hop>();
    for (const hop of quote.hops) {
      const step = `${hop.inputMint} ${hop.outputMint}`;
      if (hop.inAmount > (most.get(step)?.inAmount ?? 0n)) most.set(step, hop);
    }
    return new Set([...most.values()].map(({ venue }) => venue));
  }
  return new Set();
}

/**
 * Has the fills of other orders leave out the pools over which one has failed on the chain, but for the deepest. A market that has
 * moved is no reason. Never rejects.
 */
export async function blamePools(deps: FillDeps, sale: Sale, row: LedgerRow): Promise<void> {
  try {
    if (row.state !== 'failed' || speaksAgainstPools(row, deps.programs.router) !== 'failure') return;
    const tokens = await Promise.all([sale.inputMint, sale.outputMint].map((mint) => readToken(deps, mint)));
    const [input, output] = tokens;
    if (!input || !output) return;
    const deepest = await deepestPools(deps, { sale, input, output }, AbortSignal.timeout(BLAME_MS));
    if (deepest.size === 0) return;
    for (const pool of readFillPayload(row).pools ?? []) if (!deepest.has(pool)) deps.failing.blame(pool);
  } catch (error) {
    deps.log.info(
      { order: sale.orderId, reason: (error as Error).message },
      'cannot tell which pools a fill failed over',
    );
  }
}

async function readToken({ chain }: Pick<FillDeps, 'chain'>, mint: Address): Promise<Token | undefined> {
  const facts = await chain.mint(mint);
  return facts && tokenOf(mint, facts);
}
