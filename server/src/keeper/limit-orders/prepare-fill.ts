import { randomBytes } from 'node:crypto';
import type { LimitOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { craftFlashFill, type FlashFill, fillPlaces } from '../../crafting/flash-fill.js';
import { type Budget, feeOf, TransactionTooLarge } from '../../crafting/transaction.js';
import { readOrder } from '../../indexes/limit-orders/index.js';
import { explain, isOutOfUnits, suspectHops, tryOut, usualBudget } from '../../landing/index.js';
import { FillReadings } from '../../routing/fill-readings.js';
import {
  type Hop,
  isRefused,
  type Quote,
  type QuoteRequest,
  type Refusal,
  type Token,
  tokenOf,
} from '../../routing/router.js';
import { OwnTime } from '../own-time.js';
import { accountsOf } from './accounts.js';
import { blocked, type LimitOrderDeps, notYet, type Prepared, type Skipped } from './deps.js';
import { defectOf, type Fill, fillFor, isExpired, lamportsIn, type Market, planFill, wholeUnits } from './plan.js';

/** Compute units. No fill needs more, and its cost is calculated with this many. */
const MOST_UNITS = 300_000;
const QUOTE_MS = 2_000;
/** How often to try for a route that pays and fits into a transaction. */
const MOST_TRIES = 6;
/** With a price that anybody can set, anybody could get the wallet's SOL for nothing. */
export const NOT_REPAID = 'its output has no price that the cost of a fill could be repaid by';
/** Rounding takes less than a thousandth of so many units. */
const LEAST_EXACT = 1_000n;
const NO_VENUES: ReadonlySet<string> = new Set();

export interface Sides {
  input: Token;
  output: Token;
}

/** The order as it is on the chain now; undefined if it is gone or cannot be filled. */
export async function orderNow(
  { chain, addresses }: LimitOrderDeps,
  address: Address,
): Promise<LimitOrder | undefined> {
  const order = await readOrder(chain, addresses.program, address);
  return order && defectOf(order) === undefined ? order : undefined;
}

/** The order's two tokens; undefined if a mint is not what the order says. */
export async function sidesOf(
  { chain }: { chain: Pick<Chain, 'mint'> },
  order: LimitOrder,
): Promise<Sides | undefined> {
  const [input, output] = await Promise.all([chain.mint(order.inputMint), chain.mint(order.outputMint)]);
  if (input?.tokenProgram !== order.inputTokenProgram || output?.tokenProgram !== order.outputTokenProgram)
    return undefined;
  return { input: tokenOf(order.inputMint, input), output: tokenOf(order.outputMint, output) };
}

/**
 * The highest network fee of a fill, in lamports, after so many that have expired in a row. The market pays for it, and it is known
 * before the route is: so it does not depend on what others pay for its pools.
 */
export async function networkFee({ chain }: LimitOrderDeps, expired = 0): Promise<bigint> {
  const computeUnitPrice = await chain.computeUnitPrice(undefined, { expired });
  return feeOf(1, { computeUnitLimit: MOST_UNITS, computeUnitPrice });
}

/** What routes must do without. */
interface Avoided {
  /** How often to simplify: a better route does not fit into a transaction. */
  simpler: number;
  /** Pools that have made a simulation fail. */
  pools: readonly Address[];
}

const NOTHING: Avoided = { simpler: 0, pools: [] };

const requestOf = ({ input, output }: Sides, amount: bigint, { pools }: Avoided): QuoteRequest => ({
  mode: 'exact-in',
  input,
  output,
  amount,
  excludeVenues: NO_VENUES,
  forLimitOrder: true,
  ...(pools.length > 0 && { excludePools: new Set(pools) }),
});

/** The market according to what the router knows already, without reads from the chain: `others` have their turn in between. */
export function marketOf(
  deps: LimitOrderDeps,
  sides: Sides,
  others: () => Promise<unknown>,
  avoided = NOTHING,
): Market {
  return async (amount) => {
    await others();
    const quote = await quoteFor(deps, requestOf(sides, amount, avoided), avoided);
    return isRefused(quote) ? undefined : quote.outAmount;
  };
}

/** The same, but nothing for an amount that tells too little of the price, because rounding takes a part of it. */
export function exactMarketOf(deps: LimitOrderDeps, sides: Sides, others: () => Promise<unknown>): Market {
  return async (amount) => {
    await others();
    const quote = await quoteFor(deps, requestOf(sides, amount, NOTHING), NOTHING);
    const isExact = ({ inAmount, outAmount }: Hop) => inAmount >= LEAST_EXACT && outAmount >= LEAST_EXACT;
    return isRefused(quote) || !quote.hops.every(isExact) ? undefined : quote.outAmount;
  };
}

async function quoteFor(
  { router }: LimitOrderDeps,
  request: QuoteRequest,
  { simpler }: Avoided,
): Promise<Quote | Refusal> {
  const signal = AbortSignal.timeout(QUOTE_MS);
  let quote = await router.quote(request, signal);
  for (let i = 0; i < simpler && !isRefused(quote) && quote.simpler; i++) quote = await quote.simpler(signal);
  return isRefused(quote) || isTaken(quote, request) ? quote : IN_PART;
}

/** The maker is paid for all of it: what the market leaves would be ours. Rounding leaves no more than about a unit of the output is worth. */
const isTaken = ({ inAmount, outAmount }: Quote, { amount }: QuoteRequest) =>
  (amount - inAmount) * outAmount <= 2n * amount;
const IN_PART: Refusal = { refused: 'no-route', reason: 'the market takes only a part of it' };

/** Room for a price that moves, as far as the calculated cost pays for it. */
function budgetOf(units: number, price: bigint, more: number): Budget {
  const [least, most] = [usualBudget(units, price), usualBudget(units, price, more)];
  const affordable = Math.max(least.computeUnitLimit, MOST_UNITS);
  return { ...most, computeUnitLimit: Math.min(most.computeUnitLimit, affordable) };
}

interface Start {
  order: LimitOrder;
  sides: Sides;
  terms: Terms;
  /** The taker's own, in units of the output. */
  cost: number;
  /** How many fills have expired in a row. */
  expired: number;
}

async function startOf(deps: LimitOrderDeps, address: Address, expired: number): Promise<Start | Skipped> {
  const order = await orderNow(deps, address);
  if (!order || isExpired(order, deps.clock.now())) return notYet('it is not open any more');
  const sides = await sidesOf(deps, order);
  if (!sides) return blocked('its mints are not what it says');
  const places = fillPlaces(deps.taker, order, randomBytes(12).toString('hex'));
  const making = await accountsOf(deps, order, places);
  if ('skipped' in making) return making;
  const cost = lamportsIn(sides.output, (await networkFee(deps, expired)) + making.rentLamports, deps.usd);
  if (cost === undefined) return blocked(NOT_REPAID);
  // Its decimals say how much of what the market gives is the cost.
  const unclear = await deps.contradictions(order.outputMint, sides.output);
  if (unclear !== undefined) return blocked(unclear);
  const { taker, addresses, programs } = deps;
  const { make, makerOutput } = making;
  return {
    order,
    sides,
    cost,
    expired,
    terms: { taker, address, order, addresses, programs, places, make, makerOutput },
  };
}

/** Crafts and simulates the transaction that fills as much of an order as the market pays for. */
export async function prepareFill(
  deps: LimitOrderDeps,
  address: Address,
  own = new OwnTime(),
  expired = 0,
): Promise<Prepared | Skipped> {
  const start = await own.wait(startOf(deps, address, expired));
  if ('skipped' in start) return start;
  const { order, sides, cost } = start;
  const others = () => own.turnOfOthers();
  const readings = new FillReadings((reading) => own.wait(reading));
  let avoided = NOTHING;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const plan = await planFill(order, marketOf(deps, sides, others, avoided), cost);
    if (!plan) break;
    const request = { ...requestOf(sides, plan.makingAmount, avoided), owner: deps.taker, forFill: readings };
    const quote = await quoteFor(deps, request, avoided);
    if (isRefused(quote)) return notYet(quote.reason);
    const fill = fillFor(order, plan.makingAmount, quote.outAmount, cost);
    // The market has moved; the quote has refreshed what the router knows of it.
    if (!fill) continue;
    const prepared = await own.wait(tryOutFill(deps, start, fill, quote));
    if (prepared === 'too large') avoided = { ...avoided, simpler: avoided.simpler + 1 };
    else if ('suspects' in prepared && prepared.suspects.length > 0 && quote.without) {
      // It also has the router try these pools out, for others.
      await quote.without(prepared.suspects, AbortSignal.timeout(QUOTE_MS));
      avoided = { ...avoided, pools: [...avoided.pools, ...prepared.suspects.map(({ venue }) => venue)] };
    } else return prepared;
  }
  return notYet('the market does not pay for it with a route that a transaction has room for');
}

type Terms = Omit<FlashFill, 'makingAmount' | 'price' | 'least' | 'trade'>;

async function tryOutFill(
  deps: LimitOrderDeps,
  { terms, cost, expired }: Start,
  { makingAmount, ...price }: Fill,
  quote: Quote,
): Promise<Prepared | (Skipped & { suspects: readonly Hop[] }) | Skipped | 'too large'> {
  const { chain, taker, programs } = deps;
  const { order, places } = terms;
  // The minimum includes our cost: otherwise somebody who moves the pool first could make us pay it for nothing.
  const least = price.takingAmount + price.feeAmount + wholeUnits(cost);
  const trade = await quote.build({
    owner: taker,
    receiver: taker,
    feePayer: taker,
    rentPayer: taker,
    source: places.source,
    destination: places.destination,
    absentSigners: new Set([order.maker]),
    minOut: least,
  });
  if (isRefused(trade)) return trade.refused === 'too-large' ? 'too large' : notYet(trade.reason);
  const fill: FlashFill = { ...terms, makingAmount, price, least, trade };
  try {
    const tried = await tryOut(chain, (blockhash, budget) => craftFlashFill(fill, blockhash, budget), {
      moreUnits: trade.moreUnits ?? 0,
      budgetOf,
      bid: { expired },
    });
    if ('err' in tried) {
      if (isOutOfUnits(tried) && quote.simpler) return 'too large';
      const suspects = suspectHops(quote.hops, tried, programs.router);
      return { ...blocked(explain(tried.err).message), suspects };
    }
    if (tried.crafted.feeLamports > (await networkFee(deps, expired))) return blocked('it needs too much compute');
    const venues = quote.hops.map(({ venue }) => venue);
    const detail = { making: `${makingAmount}`, taking: `${price.takingAmount}`, fee: `${price.feeAmount}` };
    const makesForMaker = terms.make.some(({ owner }) => owner === order.maker) ? terms.makerOutput : undefined;
    return { kind: 'fill', ...tried, maker: order.maker, venues, makesForMaker, detail };
  } catch (error) {
    if (error instanceof TransactionTooLarge) return 'too large';
    throw error;
  }
}
