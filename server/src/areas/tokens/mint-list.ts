import { type Address, isAddress } from '@slipway/wire';
import { AppError, NO_ADDRESS } from '../../errors/index.js';
import { ownText } from '../../lib/own-text.js';

const MAX_TERMS = 100;

/** The unique parts of a comma list. Throws AppError INVALID_REQUEST that names the field for none or over 100. */
export function listed(field: string, text: string, expected: string): string[] {
  const parts = [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '');
  if (parts.length === 0) throw invalid(field, `expected ${expected}`);
  if (parts.length > MAX_TERMS) throw invalid(field, `expected at most ${MAX_TERMS}, separated by commas`);
  // No part keeps the whole text.
  return parts.map(ownText);
}

/** The mints of a comma list. Throws AppError INVALID_REQUEST that names the field, also if one is not an address. */
export function listedMints(field: string, text: string): Address[] {
  const parts = listed(field, text, 'the addresses of mints, separated by commas');
  if (parts.every(isAddress)) return parts;
  throw invalid(field, `${NO_ADDRESS} in base58 (32 bytes), or several, separated by commas`);
}

function invalid(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}
