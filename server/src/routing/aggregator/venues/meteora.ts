// What Meteora's pools and bonding curves share: liquidity between two prices, and the schedules of their fees.
// Prices are square roots with 64 fractional bits; liquidity has 64 too.

export const U64_MAX = 2n ** 64n - 1n;
const U128_MAX = 2n ** 128n - 1n;
const ONE = 1n << 64n;
const BPS = 10_000n;
/** Fees are fractions of this. */
export const FEE_WHOLE = 1_000_000_000n;
/** The programs' power function takes no exponent of more bits. */
const MOST_EXPONENT_BITS = 19n;

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

export function capped(value: bigint, most: bigint): bigint {
  return value < most ? value : most;
}

/** The fee on an amount that includes it. */
export const feeOn = (amount: bigint, rate: bigint): bigint => ceilDiv(amount * rate, FEE_WHOLE);

/** The amount, including its fee, of which this much is left. */
export const withFee = (amount: bigint, rate: bigint): bigint => ceilDiv(amount * FEE_WHOLE, FEE_WHOLE - rate);

/** The amount of the first token between two prices. */
export function firstBetween(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const [product, divisor] = [liquidity * (high - low), low * high];
  return up ? ceilDiv(product, divisor) : product / divisor;
}

/** The amount of the second token between two prices. */
export function secondBetween(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const product = liquidity * (high - low);
  return up ? ceilDiv(product, 1n << 128n) : product >> 128n;
}

/** The price after this much of the first token has come in. */
export const priceAfterFirst = (price: bigint, liquidity: bigint, amount: bigint): bigint =>
  amount === 0n ? price : ceilDiv(liquidity * price, liquidity + amount * price);

/** The price after this much of the second token has come in. */
export const priceAfterSecond = (price: bigint, liquidity: bigint, amount: bigint): bigint =>
  price + (amount << 128n) / liquidity;

interface Schedule {
  /** The rate at the beginning. */
  start: bigint;
  /** How far it falls: by so much a period, or by so many basis points of what it was. */
  reduction: bigint;
  isExponential: boolean;
}

/** The rate after this many periods; undefined where the program fails. */
export function scheduledRate({ start, reduction, isExponential }: Schedule, periods: bigint): bigint | undefined {
  if (!isExponential) return start < reduction * periods ? undefined : start - reduction * periods;
  const step = (reduction << 64n) / BPS;
  if (step > ONE) return undefined;
  const factor = power(ONE - step, periods);
  if (factor === undefined || factor * start > U128_MAX) return undefined;
  return (factor * start) >> 64n;
}

/** The programs' power function for a number from 0 to 1, with their rounding. */
function power(base: bigint, exponent: bigint): bigint | undefined {
  if (exponent === 0n) return ONE;
  // They invert a base of 1, which costs a digit.
  const isTurned = base >= ONE;
  let square = isTurned ? U128_MAX / base : base;
  let result = ONE;
  for (let bit = 0n; bit < MOST_EXPONENT_BITS; bit++) {
    if (bit > 0n) square = (square * square) >> 64n;
    if ((exponent >> bit) & 1n) result = (result * square) >> 64n;
  }
  if (result === 0n) return undefined;
  return isTurned ? U128_MAX / result : result;
}

/** What volatility adds to the rate; undefined where the program fails. */
export function variableRate(volatility: bigint, binStep: bigint, control: bigint): bigint | undefined {
  const product = (volatility * binStep) ** 2n * control;
  return product + 99_999_999_999n > U128_MAX ? undefined : (product + 99_999_999_999n) / 100_000_000_000n;
}
