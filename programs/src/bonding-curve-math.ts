// The curve's arithmetic, in the program's own rounding. Square roots of prices (quote for base, both in the smallest
// unit) are multiplied by 2^64, and liquidity by 2^128.

/** Between these square roots of prices every curve lies. */
export const LEAST_SQRT_PRICE = 4_295_048_016n;
export const MOST_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;

/** Basis points of a fee that the program counts as 10^9. */
export const FEE_PER_BPS = 100_000n;

export interface CurvePoint {
  /** Up to where the liquidity reaches. */
  sqrtPrice: bigint;
  liquidity: bigint;
}

/** Where a curve begins, its segments, and what it comes to. Amounts in the smallest unit. */
export interface Curve {
  sqrtStartPrice: bigint;
  points: CurvePoint[];
  /** Quote that must have been paid in for the pool to migrate. */
  quoteThreshold: bigint;
  /** Base that is sold until then. */
  soldBase: bigint;
  /** Base that goes into the migrated pool. */
  migratedBase: bigint;
}

export interface CurveTerms {
  /** Value of the whole supply at the curve's first price, in the quote's smallest unit. */
  initialMarketCap: bigint;
  /** The same at its last. */
  migrationMarketCap: bigint;
  /** All tokens that there will ever be, and those of them that are not for sale, in the smallest unit. */
  supply: bigint;
  vested: bigint;
}

/** No curve can have these terms; the message says which of them is in the way. */
export class CurveImpossible extends Error {
  override readonly name = 'CurveImpossible';
  constructor(
    readonly term: 'initialMarketCap' | 'migrationMarketCap' | 'vested',
    message: string,
  ) {
    super(message);
  }
}

const U64 = 2n ** 64n;
const U128 = 2n ** 128n;
/** Square roots of market caps are taken this much larger: their quotient is right to 30 digits. */
const SCALE = 10n ** 60n;

/**
 * A curve of one segment between two market caps that sells all that is not vested and not needed for the migrated
 * pool, which begins at the curve's last price with all that was raised. With r = sqrt(initial / migration), the pool
 * needs r / (1 + r) of what is not vested. Where rounding leaves something over, a second segment holds it.
 * @throws CurveImpossible
 */
export function curveBetween({ initialMarketCap, migrationMarketCap, supply, vested }: CurveTerms): Curve {
  if (initialMarketCap < 1n) throw new CurveImpossible('initialMarketCap', 'expected more than 0');
  if (migrationMarketCap <= initialMarketCap) {
    throw new CurveImpossible('migrationMarketCap', 'expected more than initialMarketCap');
  }
  const last = squareRoot((migrationMarketCap << 128n) / supply);
  if (last >= MOST_SQRT_PRICE) throw new CurveImpossible('migrationMarketCap', 'is more than a curve can reach');
  const [low, high] = [squareRoot(initialMarketCap * SCALE), squareRoot(migrationMarketCap * SCALE)];
  // To the nearest unit: the roots are a little too low, and a figure that comes out even should stay so.
  const whole = (low + high) * supply;
  const quoteThreshold = (2n * migrationMarketCap * low * (supply - vested) + whole) / (2n * whole);
  if (quoteThreshold < 1n) throw new CurveImpossible('initialMarketCap', 'is too little: nothing would be raised');
  if (quoteThreshold >= U64) throw new CurveImpossible('migrationMarketCap', 'is more than a curve can raise');
  const migratedBase = baseBeside(quoteThreshold, last);
  const forSale = supply - vested - migratedBase;
  if (forSale < 1n) throw new CurveImpossible('vested', 'leaves nothing for sale');
  // From quote = L (last - start) and base = L (last - start) / (start * last); rounded up, so that the base suffices.
  const sqrtStartPrice = ceilDiv(quoteThreshold << 128n, forSale * last);
  checkStart(sqrtStartPrice, last, initialMarketCap, supply);
  // Rounded down, and yet the segment holds the threshold to the unit, because what it holds is rounded up.
  const liquidity = (quoteThreshold << 128n) / (last - sqrtStartPrice);
  const soldBase = baseBetween(sqrtStartPrice, last, liquidity);
  const spare = forSale - soldBase;
  const points = [{ sqrtPrice: last, liquidity }];
  const rest = (spare * last * MOST_SQRT_PRICE) / (MOST_SQRT_PRICE - last);
  if (rest > 0n) points.push({ sqrtPrice: MOST_SQRT_PRICE, liquidity: rest });
  if (points.some((point) => point.liquidity >= U128)) {
    throw new CurveImpossible('migrationMarketCap', 'is more than a curve can express');
  }
  return { sqrtStartPrice, points, quoteThreshold, soldBase, migratedBase };
}

/** The first price must be what was asked for to a thousandth, however few units the amounts have. */
function checkStart(start: bigint, last: bigint, initialMarketCap: bigint, supply: bigint): void {
  const difference = marketCapAt(start, supply) - initialMarketCap;
  const isNear = (difference < 0n ? -difference : difference) * 1_000n <= initialMarketCap;
  if (start < LEAST_SQRT_PRICE || start >= last || !isNear) {
    throw new CurveImpossible('initialMarketCap', 'cannot be expressed: take more, or less of migrationMarketCap');
  }
}

/** What the whole supply is worth at a price, in the quote's smallest unit, rounded down. */
export function marketCapAt(sqrtPrice: bigint, supply: bigint): bigint {
  return (sqrtPrice * sqrtPrice * supply) >> 128n;
}

/** Base that a full-range pool needs beside `quote` at a price. */
function baseBeside(quote: bigint, sqrtPrice: bigint): bigint {
  return baseBetween(sqrtPrice, MOST_SQRT_PRICE, (quote << 128n) / (sqrtPrice - LEAST_SQRT_PRICE));
}

/** Base that liquidity holds between two prices, rounded up. */
export function baseBetween(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ceilDiv(liquidity * (upper - lower), lower * upper);
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** The largest whole number whose square is not above `value`, by Newton's method from above. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
