import type { Address } from '@slipway/wire';
import { speaksAgainstPools } from '../../landing/index.js';
import { type Hop, isRefused, type QuoteRequest, type Token } from '../../routing/router.js';
import { type FailedFill, failedFills } from '../../store/failed-fills.js';
import type { FillDeps } from './deps.js';
import { findOffer, isEnough, type Market, type Offer, offerOf, tooLittle } from './offers.js';
import type { Sale } from './sale.js';
import { readFillPayload } from './settlement.js';

/** Which pools a fill may go over. */
export type PoolChoice = Pick<QuoteRequest, 'excludePools' | 'onlyPools'>;

interface Trade {
  sale: Sale;
  input: Token;
  output: Token;
}

type Open = (pools: PoolChoice) => Market | { skipped: string };

/** A market, and what it offers. */
interface Found {
  market: Market;
  offer: Offer;
}

/** The market that a fill goes to, by these pools. */
interface Chosen extends Found {
  pools: PoolChoice;
  /** What all pools offer. */
  all: Found;
}

/** What is sold to find the deepest pools, in times what an order sells: pools that are small take next to nothing of it. */
const MUCH = [1_000n, 30n];
const MOST_SOLD = 2n ** 63n;
/**
 * What fewer pools must give of what all of them would, or of what the prices say where that is less; in percent. Anybody can have
 * an honest pool left out for one try, and has one of his own then.
 */
const WORTH = 98n;
/** Slippage that fewer pools may have at any rate: of all pools, the best may have no price impact, and be gone. */
const SMALL_BPS = 200n;
const ALL: PoolChoice = {};
const EVERYWHERE = { excludeVenues: new Set<string>(), excludePools: new Set<Address>() };

/**
 * The market that a fill goes to. Pools over which fills of the order have failed on the chain are left out where the others give as
 * much: what looks best may be gone whenever a fill lands.
 */
export async function chooseMarket(
  deps: FillDeps,
  trade: Trade,
  open: Open,
  signal: AbortSignal,
): Promise<Chosen | { skipped: string }> {
  const { sale } = trade;
  const market = open(ALL);
  if ('skipped' in market) return market;
  const offer = await findOffer(market, sale.amount);
  if ('skipped' in offer) return offer;
  const all = { market, offer };
  const inAll = { ...all, pools: ALL, all };
  const routes = sale.failures === 0 ? [] : failedRoutes(await failedFills(deps.store, sale));
  if (routes.length === 0) return inAll;
  // What takes a part of it may not be there either; but after one failed fill, that is no reason to sell less.
  const find = routes.length === 1 ? findWhole : findOffer;
  let part: Chosen | undefined;
  for (const pools of choicesOf(routes, await deepestPools(deps, trade, signal), sale.failures)) {
    const fewer = await offerOver(pools, all, open, find, sale.amount);
    if ('skipped' in fewer) continue;
    if (fewer.offer.amount === sale.amount) return fewer;
    if (!part || fewer.offer.amount > part.offer.amount) part = fewer;
  }
  return part ?? inAll;
}

/** What goes over the chosen pools but some, or over all others, after a simulation has failed there. */
export async function chooseOthers(
  { pools, all }: Chosen,
  avoided: ReadonlySet<Address>,
  open: Open,
  amount: bigint,
): Promise<Chosen | { skipped: string }> {
  const { excludePools = [], onlyPools } = pools;
  const fewer = await offerOver(
    { onlyPools, excludePools: new Set([...excludePools, ...avoided]) },
    all,
    open,
    findOffer,
    amount,
  );
  return 'skipped' in fewer && pools !== ALL
    ? offerOver({ excludePools: new Set(avoided) }, all, open, findOffer, amount)
    : fewer;
}

/** What fewer pools offer, where that is hardly worse than what all do. With worse ones, a price impact of their own would allow for more. */
async function offerOver(
  pools: PoolChoice,
  all: Found,
  open: Open,
  find: typeof findOffer,
  amount: bigint,
): Promise<Chosen | { skipped: string }> {
  const opened = open(pools);
  if ('skipped' in opened) return opened;
  const bps = all.market.slippage(all.offer.quote);
  const most = bps > SMALL_BPS ? bps : SMALL_BPS;
  const market: Market = { ...opened, slippage: (quote) => smaller(opened.slippage(quote), most) };
  const fair: Market['fair'] = (part, lessBps) => larger(market.fair(part, lessBps), worthOf(part, all));
  const offer = await find({ ...market, fair }, amount);
  if ('skipped' in offer) return offer;
  // The transaction demands no more than its slippage says.
  return { market, offer: offerOf(market, offer.amount, offer.quote), pools, all };
}

async function findWhole(market: Market, amount: bigint): Promise<Offer | { skipped: string }> {
  const quote = await market.quote(amount);
  if (isRefused(quote)) return { skipped: quote.reason };
  const offer = offerOf(market, amount, quote);
  return isEnough(market, offer) ? offer : { skipped: tooLittle(market, offer) };
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const larger = (a: bigint, b: bigint) => (a > b ? a : b);

function worthOf(amount: bigint, { market, offer }: Found): bigint {
  return (smaller((offer.quote.outAmount * amount) / offer.amount, market.fair(amount, 0n)) * WORTH) / 100n;
}

/**
 * In which order to try fewer pools. Small ones may be anybody's, and one that takes much far from the price may be, too; a route
 * fails as a whole for one of its pools. Each way has its turn to be the first.
 */
function choicesOf(routes: readonly Address[][], deepest: ReadonlySet<Address>, failures: number): PoolChoice[] {
  const [newest = []] = routes;
  const failed = routes.flat().filter((pool) => !deepest.has(pool));
  const all = new Set(failed);
  const inTurns = turned(
    [...new Set(newest)].filter((pool) => all.has(pool)),
    Math.floor(failures / 4),
  );
  const last = newest.filter((pool) => deepest.has(pool));
  const ways: PoolChoice[][] = [
    all.size > 0 ? [{ excludePools: all }] : [],
    deepest.size > 0 ? [{ onlyPools: deepest }] : [],
    last.length > 0 ? [{ excludePools: new Set(last) }] : [],
    all.size > 1 ? inTurns.map((kept) => ({ excludePools: new Set(failed.filter((pool) => pool !== kept)) })) : [],
  ];
  return turned(ways, failures - 1).flat();
}

function turned<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
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
