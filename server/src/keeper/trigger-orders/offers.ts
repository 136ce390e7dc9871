import { isRefused, type Quote, type Refusal } from '../../routing/router.js';
import { leastOf } from '../../routing/slippage.js';

/** What the market gives for an amount, and the minimum that must arrive; in the smallest units. */
export interface Offer {
  amount: bigint;
  quote: Quote;
  /** The minimum output: with less, the transaction fails. */
  least: bigint;
  /** What is demanded divided by what is quoted: the offer is good enough up to 1. */
  strain: number;
}

/** Why nothing is sold now. `isLater`: for what is not known at the moment, whatever the order asks. */
export interface Skipped {
  skipped: string;
  isLater?: true;
}

export interface Market {
  quote(amount: bigint): Promise<Quote | Refusal>;
  /** Basis points that a trade with this quote may lose against the quote and the prices. */
  slippage(quote: Quote): bigint;
  /**
   * What an amount is worth by the prices less so many basis points, in the output token. Rounded up once: of some tokens, a unit
   * is worth much.
   */
  fair(amount: bigint, lessBps: bigint): bigint;
  /** Neither a part nor the rest is less. */
  leastPart: bigint;
  /** Where sources of a price contradict each other, which is why it may ask for more: who says what. */
  doubts?: readonly string[];
}

/** The most quotes that the search for a part requests. */
const MOST_QUOTES = 6;
/**
 * Fractions of a part (1/n): a gain above the first is worth another quote; the second is the margin below the limit.
 */
const WORTH_MORE = 100n;
const BELOW = 500n;
/** Rounding may leave so small a fraction of an amount (1/n). */
const DUST = 10_000n;

/**
 * The minimum comes from both quote and prices, so that neither a manipulated pool nor a wrong price can drain the
 * order.
 */
export function offerOf({ slippage, fair }: Market, amount: bigint, quote: Quote): Offer {
  const bps = slippage(quote);
  const byPrice = fair(amount, bps);
  const least = [leastOf(quote.outAmount, bps), byPrice, 1n].reduce((most, bound) => (bound > most ? bound : most));
  return { amount, quote, least, strain: Number(least > quote.outAmount ? least : byPrice) / Number(quote.outAmount) };
}

/**
 * An offer for the whole amount or, if the market is too shallow for that, for the largest part that a few quotes find.
 */
export async function findOffer(market: Market, amount: bigint): Promise<Offer | Skipped> {
  const quote = await market.quote(amount);
  if (isRefused(quote)) {
    const part =
      quote.refused === 'no-route'
        ? await findPart(market, amount, { amount, strain: Number.POSITIVE_INFINITY })
        : undefined;
    return part ?? refusal(quote);
  }
  const whole = offerOf(market, amount, quote);
  if (isEnough(market, whole)) return whole;
  const taken = isTaken(market, whole) ? whole : await ask(market, quote.inAmount);
  if (taken && taken.amount < amount && taken.amount >= market.leastPart && isEnough(market, taken)) return taken;
  const tooMuch = taken ?? { amount: quote.inAmount, strain: Number.POSITIVE_INFINITY };
  return (await findPart(market, amount, tooMuch)) ?? { skipped: tooLittle(market, whole) };
}

export const refusal = ({ refused, reason }: Refusal): Skipped =>
  refused === 'unavailable' || refused === 'timeout' ? { skipped: reason, isLater: true } : { skipped: reason };

/** Whether the market takes the amount, but for what is worth no sale, and gives enough. The rest stays in the order's account. */
export const isEnough = (market: Market, offer: Offer): boolean =>
  isTaken(market, offer) && offer.quote.outAmount >= offer.least;

function isTaken({ leastPart }: Market, { amount, quote: { inAmount } }: Offer): boolean {
  const left = amount - inAmount;
  return left * DUST <= amount || (left < leastPart && inAmount >= leastPart);
}

export function tooLittle(market: Market, offer: Offer): string {
  const { quote, least } = offer;
  const tooLow = `the market gives ${quote.outAmount} and its slippage allows no less than ${least}`;
  return isTaken(market, offer)
    ? [tooLow, ...(market.doubts ?? [])].join('; ')
    : `the market takes no more than ${quote.inAmount}`;
}

async function ask(market: Market, amount: bigint): Promise<Offer | undefined> {
  const quote = await market.quote(amount);
  return isRefused(quote) ? undefined : offerOf(market, amount, quote);
}

type Bound = Pick<Offer, 'amount' | 'strain'>;

/** Interpolates between a part that is small enough and an amount that is too large: strain grows about linearly. */
async function findPart(market: Market, whole: bigint, tooMuch: Bound): Promise<Offer | undefined> {
  const { leastPart } = market;
  const most = whole - leastPart;
  if (leastPart <= 0n || most < leastPart) return undefined;
  let enough = await ask(market, leastPart);
  if (!enough || !isEnough(market, enough)) return undefined;
  for (let quotes = 1; quotes < MOST_QUOTES; quotes++) {
    let amount = between(enough, tooMuch);
    if (amount > most) amount = most;
    if (amount - enough.amount <= enough.amount / WORTH_MORE) break;
    const offer: Offer | undefined = await ask(market, amount);
    if (offer && isEnough(market, offer)) enough = offer;
    else tooMuch = { amount, strain: offer?.strain ?? Number.POSITIVE_INFINITY };
  }
  return enough;
}

function between(low: Bound, high: Bound): bigint {
  const gap = high.amount - low.amount;
  // Amounts that differ by less than a number can tell strain alike.
  if (!Number.isFinite(high.strain) || high.strain <= low.strain) return low.amount + gap / 2n;
  const share = (1 - low.strain) / (high.strain - low.strain);
  const limit = low.amount + (gap * BigInt(Math.round(Math.min(0.95, Math.max(0, share)) * 1e9))) / 1_000_000_000n;
  return limit - limit / BELOW;
}
