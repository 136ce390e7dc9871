import { firstBetween, priceAfterFirst, priceAfterSecond, secondBetween, U64_MAX } from './meteora.js';

/** A bonding curve, with a different liquidity between each two of its prices. */
export interface Curve {
  /** The lowest price. */
  start: bigint;
  /** The price at which it is complete; buying goes no further. */
  end: bigint;
  /** The liquidity between the price of the point before and this one; prices rise. */
  points: { price: bigint; liquidity: bigint }[];
  rough: RoughCurve;
}

/** The same as plain numbers, without fractional bits, for estimates. */
interface RoughCurve {
  start: number;
  end: number;
  points: { price: number; liquidity: number }[];
}

/** The result of a trade along the curve. */
export interface Walk {
  out: bigint;
  /** The part of the offer that it does not take. */
  left: bigint;
}

/** Buys the first token with this much of the second, up to the end of the curve; undefined where the program fails. */
export function buyAlong({ end, points }: Curve, price: bigint, amount: bigint): Walk | undefined {
  let [left, out] = [amount, 0n];
  for (const { price: high, liquidity } of points) {
    const stop = high < end ? high : end;
    if (stop <= price) continue;
    const most = secondBetween(price, stop, liquidity, true);
    const next = left < most ? priceAfterSecond(price, liquidity, left) : stop;
    const part = firstBetween(price, next, liquidity, false);
    out += part;
    if (out > U64_MAX) return undefined;
    if (left < most) return { out, left: 0n };
    left -= most;
    price = next;
    if (price === end) break;
  }
  return { out, left };
}

/** Sells this much of the first token for the second, down to the start; undefined where the program fails. */
export function sellAlong({ start, points }: Curve, price: bigint, amount: bigint): Walk | undefined {
  let [left, out] = [amount, 0n];
  for (let i = points.length - 2; i >= 0 && left > 0n; i--) {
    const [low, { liquidity }] = [points[i]!.price, points[i + 1]!];
    if (low >= price) continue;
    const most = firstBetween(low, price, liquidity, true);
    const next = left < most ? priceAfterFirst(price, liquidity, left) : low;
    out += secondBetween(next, price, liquidity, false);
    left -= left < most ? left : most;
    price = next;
  }
  if (left > 0n) {
    const { liquidity } = points[0]!;
    const next = priceAfterFirst(price, liquidity, left);
    // If the price rounds to the start exactly, all of it is taken, though a part would do.
    left = next < start ? left - firstBetween(start, price, liquidity, true) : 0n;
    out += secondBetween(next < start ? start : next, price, liquidity, false);
  }
  return left < 0n || out > U64_MAX ? undefined : { out, left };
}

// ---- roughly ----------------------------------------------------------------------------------------------------------

/** Rounding leaves at most this share of an amount that the curve takes. */
const NOTHING = 1e-6;

/** The first token that the curve still sells, roughly. */
export function roughRest({ end, points }: RoughCurve, price: number): number {
  let rest = 0;
  for (const { price: high, liquidity } of points) {
    const stop = Math.min(high, end);
    if (stop <= price) continue;
    rest += liquidity * (1 / price - 1 / stop);
    price = stop;
  }
  return rest;
}

/** Rough output of the first token for this much of the second; 0 for more than the curve takes. */
export function roughBuy({ end, points }: RoughCurve, price: number, amount: number): number {
  let [left, out] = [amount, 0];
  for (const { price: high, liquidity } of points) {
    const stop = Math.min(high, end);
    if (stop <= price) continue;
    const most = liquidity * (stop - price);
    if (left < most) return out + left / (price * (price + left / liquidity));
    out += most / (price * stop);
    left -= most;
    price = stop;
  }
  return left > amount * NOTHING ? 0 : out;
}

/** Rough input of the second token for this much of the first; Infinity for more than there is. */
export function roughCost({ end, points }: RoughCurve, price: number, wanted: number): number {
  let [left, cost] = [wanted, 0];
  for (const { price: high, liquidity } of points) {
    const stop = Math.min(high, end);
    if (stop <= price) continue;
    const most = liquidity * (1 / price - 1 / stop);
    if (left < most) return cost + left * price * (1 / (1 / price - left / liquidity));
    cost += liquidity * (stop - price);
    left -= most;
    price = stop;
  }
  return Number.POSITIVE_INFINITY;
}

/** Rough output of the second token for this much of the first; 0 for more than the curve takes. */
export function roughSell({ start, points }: RoughCurve, price: number, amount: number): number {
  let [left, out] = [amount, 0];
  for (let i = points.length - 1; i >= 0; i--) {
    const low = i === 0 ? start : points[i - 1]!.price;
    if (low >= price) continue;
    const { liquidity } = points[i]!;
    const most = liquidity * (1 / low - 1 / price);
    if (left < most) return out + left * price * (1 / (1 / price + left / liquidity));
    out += liquidity * (price - low);
    left -= most;
    price = low;
  }
  return left > amount * NOTHING ? 0 : out;
}

/** Rough input of the first token for this much of the second; Infinity for more than there is. */
export function roughProceeds({ start, points }: RoughCurve, price: number, wanted: number): number {
  let [left, cost] = [wanted, 0];
  for (let i = points.length - 1; i >= 0; i--) {
    const low = i === 0 ? start : points[i - 1]!.price;
    if (low >= price) continue;
    const { liquidity } = points[i]!;
    const most = liquidity * (price - low);
    if (left < most) return cost + left / (price * (price - left / liquidity));
    cost += most / (price * low);
    left -= most;
    price = low;
  }
  return Number.POSITIVE_INFINITY;
}
