import type { Address } from '@slipway/wire';
import { speaksAgainstPools } from '../../landing/index.js';
import { type Hop, isRefused, type QuoteRequest, type Token } from '../../routing/router.js';
import { type FailedFill, failedFills } from '../../store/failed-fills.js';
import type { FillDeps } from './deps.js';
import { findOffer, isEnough, type Market, type Offer, offerOf, refusal, type Skipped, tooLittle } from './offers.js';
import type { Sale } from './sale.js';
import { readFillPayload } from './settlement.js';

/** Which pools a fill may go over. */
export type PoolChoice = Pick<QuoteRequest, 'excludePools' | 'onlyPools'>;

interface Trade {
  sale: Sale;
  input: Token;
  output: Token;
}

type Open = (pools: PoolChoice) => Market | Skipped;

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
/** A part over other pools that is so many times as large comes first, whosever turn it is. */
const MUCH_MORE = 10n;
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
): Promise<Chosen | Skipped> {
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
  const deepest = await deepestPools(deps, trade, signal);
  for (const pools of choicesOf(routes, offer.quote.hops, deepest, sale.failures)) {
    const fewer = await offerOver(pools, all, open, find, sale.amount);
    if ('skipped' in fewer) continue;
    if (fewer.offer.amount === sale.amount) return fewer;
    if (!part || fewer.offer.amount > MUCH_MORE * part.offer.amount) part = fewer;
  }
  return part ?? inAll;
}

/** What goes over the chosen pools but some, or over all others, after a simulation has failed there. */
export async function chooseOthers(
  { pools, all }: Chosen,
  avoided: ReadonlySet<Address>,
  open: Open,
  amount: bigint,
): Promise<Chosen | Skipped> {
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
): Promise<Chosen | Skipped> {
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

async function findWhole(market: Market, amount: bigint): Promise<Offer | Skipped> {
  const quote = await market.quote(amount);
  if (isRefused(quote)) return refusal(quote);
  const offer = offerOf(market, amount, quote);
  return isEnough(market, offer) ? offer : { skipped: tooLittle(market, offer) };
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const larger = (a: bigint, b: bigint) => (a > b ? a : b);

function worthOf(amount: bigint, { market, offer }: Found): bigint {
  return (smaller((offer.quote.outAmount * amount) / offer.amount, market.fair(amount, 0n)) * WORTH) / 100n;
}

/**
 * In which order to try fewer pools; each way has its turn to be the first. Small pools may be anybody's, and one that takes much far
 * from the price may be, too. Whoever moves one liquidity from pool to pool has it in the route that is best now, whichever have failed.
 */
function choicesOf(
  routes: readonly Address[][],
  best: readonly Hop[],
  deepest: ReadonlySet<Address>,
  failures: number,
): PoolChoice[] {
  const failed = routes.flat();
  const small = failed.filter((pool) => !deepest.has(pool));
  const steps = stepsOf(best).map((hops) => hops.map(({ venue }) => venue));
  const route = steps.flat();
  const dropped = [route, [...route, ...failed], ...(steps.length > 1 ? steps : [])];
  const kept = best.length > steps.length ? onePerStep(steps) : [];
  const ways: PoolChoice[] = [
    ...(small.length > 0 ? [{ excludePools: new Set(small) }] : []),
    ...(deepest.size > 0 ? [{ onlyPools: deepest }] : []),
    ...dropped.map((pools) => ({ excludePools: new Set(pools) })),
    ...kept.map((pools) => ({ onlyPools: new Set(pools) })),
  ];
  const first = (failures - 1) % ways.length;
  return [...ways.slice(first), ...ways.slice(0, first)];
}

/** All ways to take one pool of each step. */
function onePerStep(steps: readonly Address[][]): Address[][] {
  return steps.reduce<Address[][]>(
    (taken, pools) => taken.flatMap((before) => pools.map((pool) => [...before, pool])),
    [[]],
  );
}

/** The hops of a route, those of each step together. */
function stepsOf(hops: readonly Hop[]): Hop[][] {
  const steps = new Map<string, Hop[]>();
  for (const hop of hops) {
    const step = `${hop.inputMint} ${hop.outputMint}`;
    steps.set(step, [...(steps.get(step) ?? []), hop]);
  }
  return [...steps.values()];
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
    const most = stepsOf(quote.hops).map((hops) => hops.reduce((a, b) => (b.inAmount > a.inAmount ? b : a)));
    return new Set(most.map(({ venue }) => venue));
  }
  return new Set();
}
