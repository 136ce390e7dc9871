import { type Address, isAddress } from '@slipway/wire';
import { AppError } from './app-error.js';

/** How the text begins that refuses what is no address. */
export const NO_ADDRESS = 'expected a public key';

/** @throws AppError INVALID_REQUEST that names the field. */
export function requireAddress(field: string, value: string): Address {
  if (isAddress(value)) return value;
  throw invalidField(field, `${NO_ADDRESS} in base58 (32 bytes)`);
}

const AMOUNT = /^(?:0|[1-9][0-9]{0,19})$/;
const U64_MAX = 2n ** 64n - 1n;

/**
 * An amount in the smallest unit: decimal digits only, at most 2^64 - 1.
 * @throws AppError INVALID_REQUEST that names the field.
 */
export function requireAmount(field: string, value: string, least = 1n): bigint {
  const amount = AMOUNT.test(value) ? BigInt(value) : undefined;
  if (amount !== undefined && amount >= least && amount <= U64_MAX) return amount;
  const expected = `expected a whole number of the smallest unit from ${least} to ${U64_MAX}, as a decimal string`;
  throw invalidField(field, expected);
}

/** INVALID_REQUEST that names the field and says what was expected in it. */
export function invalidField(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}
