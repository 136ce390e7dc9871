import { MIN_SQRT_PRICE } from './ticks.js';

const U64_MAX = 2n ** 64n - 1n;
const U128_LIMIT = 1n << 128n;
const U192_LIMIT = 1n << 192n;
const BITS = 64n;
const FRACTION = (1n << BITS) - 1n;
/** Fee rates are in millionths. */
const FEE_UNIT = 1_000_000n;

/** A trade along one stretch of constant liquidity. Square roots of prices have 64 fractional bits. */
interface Stretch {
  sqrtPrice: bigint;
  /** Where the stretch ends. */
  target: bigint;
  liquidity: bigint;
  /** Of the input, in millionths. */
  feeRate: bigint;
  /** Whether token A comes in, so that the price falls. */
  aToB: boolean;
}

interface Moved {
  sqrtPrice: bigint;
  /** Without the fee. */
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
}

/** What happens when at most `amount` comes in, including the fee; undefined where the program's numbers overflow. */
export function move(stretch: Stretch, amount: bigint): Moved | undefined {
  const { sqrtPrice, target, liquidity, feeRate, aToB } = stretch;
  const net = (amount * (FEE_UNIT - feeRate)) / FEE_UNIT;
  const whole = amountOf(aToB, sqrtPrice, target, liquidity, true);
  if (whole === undefined) return undefined;
  const next = whole <= net ? target : aToB ? priceByA(stretch, net) : priceByB(stretch, net);
  if (next === undefined) return undefined;
  const isWhole = next === target;
  const amountIn = isWhole ? whole : amountOf(aToB, sqrtPrice, next, liquidity, true);
  const amountOut = amountOf(!aToB, sqrtPrice, next, liquidity, false);
  if (!isU64(amountIn) || !isU64(amountOut)) return undefined;
  const fee = isWhole ? feeOn(amountIn, feeRate) : amount - amountIn;
  return { sqrtPrice: next, amountIn, amountOut, fee };
}

const isU64 = (amount: bigint | undefined): amount is bigint => amount !== undefined && amount <= U64_MAX;

function feeOn(net: bigint, feeRate: bigint): bigint {
  return ceilDiv(net * feeRate, FEE_UNIT - feeRate);
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/**
 * The amount of token A or B between two prices. Exceeds a u64 if it is more than any amount; undefined where the
 * program gives up.
 */
function amountOf(isA: boolean, from: bigint, to: bigint, liquidity: bigint, roundUp: boolean): bigint | undefined {
  const product = liquidity * (from < to ? to - from : from - to);
  if (!isA) {
    if (product >= U128_LIMIT) return U128_LIMIT;
    const amount = product >> BITS;
    return roundUp && (product & FRACTION) > 0n ? amount + 1n : amount;
  }
  if (product >= U192_LIMIT) return undefined;
  const numerator = product << BITS;
  const denominator = from * to;
  return roundUp ? ceilDiv(numerator, denominator) : numerator / denominator;
}

/** The price after an amount of token A came in, rounded up. Liquidity is not 0, or the target had been reached. */
function priceByA({ sqrtPrice, liquidity }: Stretch, amount: bigint): bigint | undefined {
  if (amount === 0n) return sqrtPrice;
  const product = liquidity * sqrtPrice;
  if (product >= U192_LIMIT) return undefined;
  const price = ceilDiv(product << BITS, (liquidity << BITS) + sqrtPrice * amount);
  return price < MIN_SQRT_PRICE ? undefined : price;
}

/** The price after an amount of token B came in, rounded down. Liquidity is not 0, or the target had been reached. */
function priceByB({ sqrtPrice, liquidity }: Stretch, amount: bigint): bigint {
  return sqrtPrice + (amount << BITS) / liquidity;
}
