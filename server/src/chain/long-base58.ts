import { base58Decode } from '@slipway/wire';

/** Digits that are read, and bytes that are told of: more than any arguments have. */
const READ_DIGITS = 300;
const TOLD_BYTES = 64;
/** Bits of a power of 58: enough for the error of all its factors to be far below the last digit that is read. */
const BITS = 3_000;
const BITS_OF_ERROR = 2_900n;

/**
 * What the bytes may begin with that a long base58 text stands for, in a time that hardly grows with its length. Two values,
 * one greater than the other by one, where only later digits tell: where what follows is all zeros or all ones for a while.
 * None if it is no base58.
 */
export function beginningsOf(text: string): Uint8Array[] {
  const start = text.search(/[^1]/);
  if (start < 0) return [new Uint8Array(Math.min(text.length, TOLD_BYTES))];
  const read = base58Decode(text.slice(start, start + READ_DIGITS));
  if (!read) return [];
  const digits = numberOf(read);
  const { mantissa, exponent } = powerOf58(Math.max(0, text.length - start - READ_DIGITS));
  const least = topOf(digits * mantissa, exponent);
  const most = topOf((digits + 1n) * (mantissa + (mantissa >> BITS_OF_ERROR)) - 1n, exponent);
  const zeros = new Uint8Array(start);
  const told = (bytes: Uint8Array) => Buffer.concat([zeros, bytes]).subarray(0, TOLD_BYTES);
  return Buffer.compare(least, most) === 0 ? [told(least)] : [told(least), told(most)];
}

/** No more than 58 ** power, and less by no more than the error. */
function powerOf58(power: number): { mantissa: bigint; exponent: number } {
  let [mantissa, exponent] = [1n, 0];
  for (const bit of power.toString(2)) {
    mantissa = mantissa * mantissa * (bit === '1' ? 58n : 1n);
    exponent *= 2;
    const excess = Math.max(0, bitsOf(mantissa) - BITS);
    mantissa >>= BigInt(excess);
    exponent += excess;
  }
  return { mantissa, exponent };
}

/** The first bytes of a number times a power of two. */
function topOf(factor: bigint, exponent: number): Uint8Array {
  const length = Math.ceil((bitsOf(factor) + exponent) / 8);
  const shift = Math.max(0, length - TOLD_BYTES) * 8 - exponent;
  const top = shift >= 0 ? factor >> BigInt(shift) : factor << BigInt(-shift);
  return Buffer.from(top.toString(16).padStart(Math.min(length, TOLD_BYTES) * 2, '0'), 'hex');
}

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

function bitsOf(value: bigint): number {
  const hex = value.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0]!, 16)) + 28;
}
