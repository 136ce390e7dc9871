import { type FillPrice, type LimitOrder, limitOrderPrice } from '@slipway/programs';
import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Token } from '../../routing/router.js';
import type { LimitOrderDeps } from './deps.js';

/** A part or the whole rest of an order, and what is paid for it. Amounts in the smallest unit. */
export interface Fill extends FillPrice {
  makingAmount: bigint;
}

/** The output that the market gives for an amount of the input; undefined if it cannot take that much. */
export type Market = (makingAmount: bigint) => Promise<bigint | undefined>;

/** No part is smaller than the rest divided by this. */
const SMALLEST_SHARE = 256n;
/** Bisection steps between a part that pays and a larger one that does not. */
const REFINEMENTS = 8;
const LAMPORTS_PER_SOL = 1e9;
/**
 * The largest part of a fill that comes out of what its maker accepts below the asked price, as one in so many, for the cost: how
 * much that is in units of the output is the word of nodes and feeds, and no program compares it with anything.
 */
const CHARGED_SHARE = 100n;
/**
 * Of a token with coarse units, the one that a cost is rounded up to may be worth a thousand dollars. The maker accepts less for
 * the market's price, not for that: beyond so many times the cost, or the smallest share that slippage is counted in.
 */
const MOST_ROUNDED = 10;
const ROUNDED_SHARE = 10_000n;

interface PlanSearch {
  whole?: boolean;
  parts?: boolean;
  exact?: boolean;
  nearly?: () => void;
}

/**
 * The largest part of the order for which the market pays what the maker asks, the order's fee, and `cost`: the taker's
 * own cost, in units of the output, which may be less than one. If the maker accepts less than asked, that is used only as far as the market does not
 * give more, and for the cost only where that is a small part. Undefined if no part pays. `search`: whether to ask for the whole, to look for a part, and for more than a
 * shared size of it; and what to do when the smallest would pay but for the cost, and none does.
 */
export async function planFill(
  order: LimitOrder,
  market: Market,
  cost: number,
  { whole = true, parts = true, exact = true, nearly }: PlanSearch = {},
): Promise<Fill | undefined> {
  const fillOf = async (making: bigint) => fillFor(order, making, await market(making), cost);
  const all = whole ? await fillOf(order.makingAmount) : undefined;
  if (all || !parts) return all;
  const sizes = partsOf(order);
  const smallest = sizes.at(-1);
  // The smaller the part, the better the market's price: if the smallest does not pay, none does.
  if (smallest === undefined || !fillFor(order, smallest, await market(smallest), 0)) return undefined;
  let [found, tooMuch] = [undefined as Fill | undefined, order.makingAmount];
  for (const making of sizes) {
    found = await fillOf(making);
    if (found) break;
    tooMuch = making;
  }
  for (let i = 0; found && exact && i < REFINEMENTS; i++) {
    const making = (found.makingAmount + tooMuch) / 2n;
    if (making === found.makingAmount) break;
    const larger = await fillOf(making);
    if (larger) found = larger;
    else tooMuch = making;
  }
  if (!found) nearly?.();
  return found;
}

/** Sizes of parts to look for first, largest first: powers of two, so that orders for the same tokens share questions. */
function partsOf({ makingAmount }: LimitOrder): bigint[] {
  const sizes: bigint[] = [];
  for (let size = 1n; size < makingAmount; size *= 2n) if (size * SMALLEST_SHARE >= makingAmount) sizes.unshift(size);
  return sizes;
}

/** Whether it is such a size. */
export const isShared = (amount: bigint): boolean => (amount & (amount - 1n)) === 0n;

/** The fill of `makingAmount` for which the market gives `out`; undefined if that is too little. */
export function fillFor(
  order: LimitOrder,
  makingAmount: bigint,
  out: bigint | undefined,
  cost: number,
): Fill | undefined {
  const charged = wholeUnits(cost);
  if (out === undefined || out <= charged) return undefined;
  const price = limitOrderPrice(order, makingAmount, out - charged);
  if (!price) return undefined;
  // All that is asked is there besides, or else what the maker accepts pays for it.
  const isRounded = Number(charged) > MOST_ROUNDED * cost && price.takingAmount < ROUNDED_SHARE * charged;
  const isTooMuch = isRounded || price.takingAmount < CHARGED_SHARE * charged;
  const isAsked = price.takingAmount === limitOrderPrice(order, makingAmount)?.takingAmount;
  return isTooMuch && !isAsked ? undefined : { makingAmount, ...price };
}

/** What is charged for a cost in units of a token. */
export const wholeUnits = (cost: number): bigint => BigInt(Math.ceil(cost));

/** What lamports are worth in units of a token, not rounded; undefined if a price is unknown. */
export function lamportsIn(token: Token, lamports: bigint, usd: LimitOrderDeps['usd']): number | undefined {
  if (token.mint === WRAPPED_SOL_MINT) return Number(lamports);
  const [sol, its] = [usd({ mint: WRAPPED_SOL_MINT }), usd(token)];
  if (sol === undefined || its === undefined) return undefined;
  return (Number(lamports) / LAMPORTS_PER_SOL) * (sol / its) * 10 ** token.decimals;
}

/** Why an order can neither be filled nor cancelled; undefined if it can. */
export function defectOf(order: LimitOrder): string | undefined {
  if (order.oriMakingAmount === 0n || order.oriTakingAmount === 0n) return 'it was made with nothing';
  if (order.makingAmount === 0n) return 'nothing is left of it';
  if (order.makingAmount > order.oriMakingAmount) return 'more is left of it than it was made with';
  if (order.borrowMakingAmount !== 0n) return 'a loan is under way';
  if (order.inputMint === order.outputMint) return 'it asks for what it gives';
  if (order.feeBps > 10_000 || order.slippageBps >= 10_000) return 'its fee or slippage is more than everything';
  return undefined;
}

/** Whether the order has expired at `now` (Unix ms), so that it can only be cancelled. */
export function isExpired({ expiredAt }: LimitOrder, now: number): boolean {
  return expiredAt !== undefined && BigInt(Math.floor(now / 1_000)) >= expiredAt;
}
