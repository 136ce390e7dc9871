import type { Address } from '@slipway/wire';
import { speaksAgainstPools } from '../../landing/index.js';
import { type Hop, isRefused, type QuoteRequest, type Token } from '../../routing/router.js';
import { type FailedFill, failedFills } from '../../store/failed-fills.js';
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
}

/** What is sold to find the deepest pools, in times what an order sells: pools that are small take next to nothing of it. */
const MUCH = [1_000n, 30n];
const MOST_SOLD = 2n ** 63n;
/**
 * What fewer pools must give of what all of them would, or of what the prices say where that is less; in percent. Anybody can have
 * an honest pool left out for one try, and has one of his own then.
 */
const WORTH = 98n;
const ALL: PoolChoice = {};
const EVERYWHERE = { excludeVenues: new Set<string>(), excludePools: new Set<Address>() };

/**
 * The market that a fill goes to. Pools over which fills of the order have failed on the chain are left out where the others give as
 * much: what looks best may be gone whenever a fill lands.
 */
export async function chooseMarket(
  deps: FillDeps,
  trade: Trade,
  open: (pools: PoolChoice) => Market | { skipped: string },
  signal: AbortSignal,
): Promise<Found | { skipped: string }> {
  const { sale } = trade;
  const all = await lookAt(open(ALL), sale);
  if (sale.failures === 0 || !takesAll(all, sale)) return all;
  const routes = failedRoutes(await failedFills(deps.store, sale));
  if (routes.length === 0) return all;
  // With worse pools, a price impact of their own would allow for more.
  const bps = all.market.slippage(all.offer.quote);
  for (const pools of choicesOf(routes, await deepestPools(deps, trade, signal))) {
    const market = open(pools);
    const fewer = await lookAt('skipped' in market ? market : { ...market, slippage: () => bps }, sale);
    if (takesAll(fewer, sale) && isWorth(fewer.offer, all)) return fewer;
  }
  return all;
}

async function lookAt(market: Market | { skipped: string }, sale: Sale): Promise<Found | { skipped: string }> {
  return 'skipped' in market ? market : { market, offer: await findOffer(market, sale.amount) };
}

const takesAll = (found: Found | { skipped: string }, { amount }: Sale): found is Found & { offer: Offer } =>
  !('skipped' in found) && !('skipped' in found.offer) && found.offer.amount === amount;

function isWorth({ amount, quote }: Offer, all: Found & { offer: Offer }): boolean {
  const given = quote.outAmount * 100n;
  return given >= all.offer.quote.outAmount * WORTH || given >= all.market.fair(amount, 0n) * WORTH;
}

/**
 * In which order to try fewer pools. Small ones may be anybody's, and one that takes much far from the price may be, too: the
 * deepest alone, and all others, have their turns.
 */
function choicesOf(routes: readonly Address[][], deepest: ReadonlySet<Address>): PoolChoice[] {
  const others = routes.flat().filter((pool) => !deepest.has(pool));
  const withoutFailed = others.length > 0 ? [{ excludePools: new Set(others) }] : [];
  const last = routes[0]!.filter((pool) => deepest.has(pool));
  const withoutDeepest = last.length > 0 ? [{ excludePools: new Set(last) }] : [];
  const onlyDeepest = deepest.size > 0 ? [{ onlyPools: deepest }] : [];
  if (routes.length === 1) return [...withoutFailed, ...withoutDeepest];
  return routes.length % 2 === 0
    ? [...onlyDeepest, ...withoutFailed, ...withoutDeepest]
    : [...withoutDeepest, ...withoutFailed, ...onlyDeepest];
}

/** The pools of the routes that have failed, newest first. */
function failedRoutes(fills: readonly FailedFill[]): Address[][] {
  const routes = fills.filter(speaksAgainstPools).map((fill) => readFillPayload(fill).pools ?? []);
  return routes.filter((pools) => pools.length > 0);
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
