import { type FillPrice, type LimitOrder, limitOrderPrice } from '@slipway/programs';
import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Token } from '../../routing/router.js';

/** A part of an order, or all that is left of it, and what is paid for it. Amounts in the smallest unit. */
export interface Fill extends FillPrice {
  makingAmount: bigint;
}

/** What the market gives of the output for an amount of the input; undefined where it does not take that much. */
export type Market = (makingAmount: bigint) => Promise<bigint | undefined>;

/** A part is at least this share of what is left. */
const SMALLEST_SHARE = 256n;
/** How often the space between a part that pays and a larger one that does not is halved. */
const REFINEMENTS = 8;
const LAMPORTS_PER_SOL = 1e9;

/**
 * The largest part of the order that the market pays for: what the maker asks, the order's fee and `cost`, which is the
 * taker's own, in the output token. Of a maker who accepts less than asked, it asks for that only where the market does
 * not give more. Undefined where no part pays.
 */
export async function planFill(order: LimitOrder, market: Market, cost: bigint): Promise<Fill | undefined> {
  const fillOf = async (making: bigint) => fillFor(order, making, await market(making), cost);
  const whole = await fillOf(order.makingAmount);
  if (whole) return whole;
  const smallest = (order.makingAmount + SMALLEST_SHARE - 1n) / SMALLEST_SHARE;
  // The smaller the part, the better the market's price: where that is too low, nothing pays.
  if (!fillFor(order, smallest, await market(smallest), 0n)) return undefined;
  let [found, tooMuch] = [undefined as Fill | undefined, order.makingAmount];
  for (let making = tooMuch / 2n; !found && making >= smallest; making /= 2n) {
    found = await fillOf(making);
    if (!found) tooMuch = making;
  }
  for (let i = 0; found && i < REFINEMENTS; i++) {
    const making = (found.makingAmount + tooMuch) / 2n;
    if (making === found.makingAmount) break;
    const larger = await fillOf(making);
    if (larger) found = larger;
    else tooMuch = making;
  }
  return found;
}

/** The fill of `makingAmount` for which the market gives `out`; undefined where that is too little. */
export function fillFor(
  order: LimitOrder,
  makingAmount: bigint,
  out: bigint | undefined,
  cost: bigint,
): Fill | undefined {
  if (out === undefined || out <= cost) return undefined;
  const price = limitOrderPrice(order, makingAmount, out - cost);
  return price && { makingAmount, ...price };
}

/** What lamports are worth in a token, rounded up; undefined where a price is not known. */
export function lamportsIn(
  { mint, decimals }: Token,
  lamports: bigint,
  usd: (mint: Token['mint']) => number | undefined,
): bigint | undefined {
  if (mint === WRAPPED_SOL_MINT) return lamports;
  const [sol, token] = [usd(WRAPPED_SOL_MINT), usd(mint)];
  if (sol === undefined || token === undefined) return undefined;
  return BigInt(Math.ceil((Number(lamports) / LAMPORTS_PER_SOL) * (sol / token) * 10 ** decimals));
}

/** Why an order is none that can be filled or cancelled; undefined where it can. */
export function defectOf(order: LimitOrder): string | undefined {
  if (order.oriMakingAmount === 0n || order.oriTakingAmount === 0n) return 'it was made with nothing';
  if (order.makingAmount === 0n) return 'nothing is left of it';
  if (order.makingAmount > order.oriMakingAmount) return 'more is left of it than it was made with';
  if (order.borrowMakingAmount !== 0n) return 'a loan is under way';
  if (order.inputMint === order.outputMint) return 'it asks for what it gives';
  if (order.feeBps > 10_000 || order.slippageBps >= 10_000) return 'its fee or slippage is more than everything';
  return undefined;
}

/** Whether it can only be cancelled at that time, in unix milliseconds. */
export function isExpired({ expiredAt }: LimitOrder, now: number): boolean {
  return expiredAt !== undefined && BigInt(Math.floor(now / 1_000)) >= expiredAt;
}
