import type { Address } from '@slipway/wire';
import { GrowingCache } from '../../lib/growing-cache.js';
import type { Leg, Pool } from './legs.js';
import { middlePrice, nearDepth } from './near-depth.js';
import type { Pools } from './pools.js';
import type { PoolState, Side } from './venue.js';

/**
 * A pool with a higher fee need not follow the market. What trades add to the fee does not count: anybody could raise it
 * for as long as he likes, and silence a pool by that.
 */
const MAX_FEE = 0.02;
/**
 * With terms that let trades raise the fee further, nobody sets a pool right that its owner has moved. By the terms, and
 * not by the fee that trades have raised, for the same reason as above.
 */
const MAX_RAISED_FEE = 0.1;
/** Prices that differ by at most this factor agree. */
const AGREEMENT = 1.05;

/** How long a price by the pools is cached. */
const SPOT_MS = 250;
const MAX_SPOTS = 10_000;
/** How long what the pools of a pair say is cached: a hundred tokens, asked for at once, lead over the same pools. */
const OFFER_MS = 100;

/** A price and the depth behind it on either side, in units of the token and of what it is priced in. */
interface Offer {
  price: number;
  given: number;
  taken: number;
}

/** What one pool says of a token. */
export interface PoolWord {
  pool: Address;
  /** The token that it is priced in. */
  in: Address;
  /** Whole tokens of that one for a whole token. */
  price: number;
  /** The lesser of the two sides that it has near its price, in whole tokens of that one. See `nearDepth`. */
  depth: number;
  /** It cannot be read or traded with at the moment, or its fee is high, and says nothing: its price and depth are 0. */
  isSilent?: true;
}

/** What the pools of a pair said last, by the states that they had. */
interface Said {
  states: readonly (PoolState | undefined)[];
  decimals: number;
  inDecimals: number;
  words: readonly PoolWord[];
}

const saidBy = new WeakMap<readonly Leg[], Said>();

/** See `Aggregator.quotesOf`. Whether each pool can be heard is looked at each time; what it says, where its state has changed. */
export function poolWords(pools: Pools, now: number, mint: Address, inMints: readonly Address[]): PoolWord[] {
  const [own, market] = [pools.knownMint(mint), pools.market()];
  // With other decimals than are known, a whole token would be another amount: no floor of a fill would hold.
  if (!own || own.mayReopen) return [];
  return inMints.flatMap((inMint) => {
    const other = pools.knownMint(inMint);
    return other ? wordsOf(market.pair(mint, inMint), now, own.decimals, { in: inMint, decimals: other.decimals }) : [];
  });
}

function wordsOf(
  legs: readonly Leg[],
  now: number,
  decimals: number,
  other: { in: Address; decimals: number },
): readonly PoolWord[] {
  const states = legs.map(({ pool }) => heardState(pool, now));
  const known = saidBy.get(legs);
  const isSame =
    known?.decimals === decimals &&
    known.inDecimals === other.decimals &&
    states.every((state, i) => state === known.states[i]);
  if (isSame) return known.words;
  const words = legs.flatMap(({ pool, from }, i): PoolWord[] => {
    const state = states[i];
    if (!state) return [{ pool: pool.address, in: other.in, price: 0, depth: 0, isSilent: true }];
    const offer = offerBy(state, from);
    if (!offer || depthOf(offer) === 0) return [];
    const depth = Math.min(offer.given * offer.price, offer.taken) / 10 ** other.decimals;
    const price = offer.price * 10 ** (decimals - other.decimals);
    return [{ pool: pool.address, in: other.in, price, depth }];
  });
  saidBy.set(legs, { states, decimals, inDecimals: other.decimals, words });
  return words;
}

/** See `Aggregator.spot`. Orders ask for the same few prices again and again, so each is cached briefly. */
export function createSpotPrices(pools: Pools, steadyNow: () => number) {
  const spots = new GrowingCache<string, { price: number | undefined; at: number }>(MAX_SPOTS);
  const offers = new WeakMap<readonly Leg[], { offer: Offer | undefined; at: number }>();

  const offersAt = (now: number) => (legs: readonly Leg[]) => {
    const known = offers.get(legs);
    if (known && now - known.at < OFFER_MS) return known.offer;
    const offer = offerOf(legs, now);
    offers.set(legs, { offer, at: now });
    return offer;
  };

  return (mint: Address, inMint: Address): number | undefined => {
    const [key, now] = [`${mint} ${inMint}`, steadyNow()];
    const known = spots.get(key);
    if (known && now - known.at < SPOT_MS) return known.price;
    pools.asked.askIfRoom(mint, inMint);
    const price = spotPrice({ pools, pairOffer: offersAt(now) }, mint, inMint);
    spots.set(key, { price, at: now });
    return price;
  };
}

interface Spot {
  pools: Pools;
  pairOffer: (legs: readonly Leg[]) => Offer | undefined;
}

/**
 * The price that the most depth agrees on, among the pools of the pair and those over one intermediate token. Depth
 * counts only if it is on both sides, so a pool with a made-up price needs capital in both tokens.
 */
function spotPrice({ pools, pairOffer }: Spot, mint: Address, inMint: Address): number | undefined {
  const [from, to] = [pools.knownMint(mint), pools.knownMint(inMint)];
  if (!from || !to) return undefined;
  const market = pools.market();
  const offers = [pairOffer(market.pair(mint, inMint))];
  for (const middle of market.between(mint, inMint)) {
    const [first, second] = [market.pair(mint, middle), market.pair(middle, inMint)];
    offers.push(offerOver(pairOffer(first), pairOffer(second)));
  }
  const agreed = agreedOf(offers.filter((offer) => offer !== undefined));
  return agreed && agreed.price * 10 ** (from.decimals - to.decimals);
}

function offerOver(first: Offer | undefined, second: Offer | undefined): Offer | undefined {
  return (
    first &&
    second && {
      price: first.price * second.price,
      given: Math.min(first.given, second.given / first.price),
      taken: Math.min(second.taken, first.taken * second.price),
    }
  );
}

function offerOf(legs: readonly Leg[], now: number): Offer | undefined {
  const offers = legs.map(({ pool, from }) => {
    const state = heardState(pool, now);
    return state && offerBy(state, from);
  });
  return agreedOf(offers.filter((offer) => offer !== undefined));
}

function heardState(pool: Pool, now: number): PoolState | undefined {
  const state = pool.state(now);
  if (!state || (state.mostFeeShare ?? 0) > MAX_RAISED_FEE) return undefined;
  return (state.baseFeeShare ?? state.feeShare) <= MAX_FEE ? state : undefined;
}

const offersBy = new WeakMap<PoolState, { offer: Offer | undefined }[]>();

/** Worked out once for each state, which never changes: prices are asked for far more often than pools change. */
function offerBy(state: PoolState, from: Side): Offer | undefined {
  const known = offersBy.get(state) ?? [];
  offersBy.set(state, known);
  known[from] ??= { offer: newOffer(state, from) };
  return known[from].offer;
}

function newOffer(state: PoolState, from: Side): Offer | undefined {
  const depth = nearDepth(state);
  const [given, taken] = from === 0 ? depth : [depth[1], depth[0]];
  const price = middlePrice(state, from);
  // A curve that nobody has bought from yet has a price, and nothing on its other side: it is shown where no other is.
  return price > 0 && Number.isFinite(price) ? { price, given, taken } : undefined;
}

const depthOf = ({ given, taken }: Offer) => Math.sqrt(given * taken);

/** The group of agreeing prices with the most depth: the price of its deepest member, and the sums of both sides. */
function agreedOf(offers: Offer[]): Offer | undefined {
  if (offers.length < 2) return offers[0];
  const sorted = offers.toSorted((a, b) => a.price - b.price);
  let [most, start, end] = [-1, 0, 0];
  let depth = 0;
  for (let low = 0, high = 0; low < sorted.length; low++) {
    for (; high < sorted.length && sorted[high]!.price <= sorted[low]!.price * AGREEMENT; high++)
      depth += depthOf(sorted[high]!);
    if (depth > most) [most, start, end] = [depth, low, high];
    depth -= depthOf(sorted[low]!);
  }
  const agreeing = sorted.slice(start, end);
  return {
    price: agreeing.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a)).price,
    given: agreeing.reduce((sum, { given }) => sum + given, 0),
    taken: agreeing.reduce((sum, { taken }) => sum + taken, 0),
  };
}
