const BITS = 64n;
const ONE = 1n << BITS;
const U128_MAX = (1n << 128n) - 1n;
const BPS = 10_000n;
/** No bin is further from the first than this, whatever the step. */
export const MAX_BIN = 443_636;

/**
 * The price of a bin, (1 + step) to the power of its number, with 64 fractional bits: by squares of the inverse, each
 * rounded down, as the program does. Undefined where it cannot be said.
 */
export function priceOf(id: number, binStep: number): bigint | undefined {
  if (id === 0) return ONE;
  let square = U128_MAX / (ONE + (BigInt(binStep) << BITS) / BPS);
  let result = ONE;
  for (let left = Math.abs(id); left > 0; left >>= 1) {
    if (left & 1) result = (result * square) >> BITS;
    square = (square * square) >> BITS;
  }
  if (result === 0n) return undefined;
  return id > 0 ? U128_MAX / result : result;
}
