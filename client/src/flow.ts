import type { ReadTransaction } from '@slipway/checks';
import type { Connection, FlowOptions } from './context.js';
import { afterSigning, SlipwayError } from './errors.js';
import type { Signer } from './signer.js';

/** What a user signs at most for network and priority fees and tips, unless a flow is told otherwise: 0.01 SOL. */
export const MAX_FEE_LAMPORTS = 10_000_000n;

/** Throws where the transaction does anything that was not asked. */
export type Check = (transaction: ReadTransaction) => void;

export interface SigningOptions extends FlowOptions {
  signer: Signer;
  /** What must be done first, once it is known that the service has crafted what was asked for. */
  beforeSigning?: () => Promise<void>;
}

/**
 * Checks what the service has crafted, signs it, and answers it as base64. What reads transactions is loaded only here,
 * so that a page shows before it is there.
 * @throws SlipwayError refused_to_sign where the check throws; nothing is signed then
 */
export async function checkAndSign(
  connection: Connection,
  base64: string,
  loadCheck: () => Promise<Check>,
  options: SigningOptions,
): Promise<{ signed: string; signature: string | undefined }> {
  options.onProgress?.({ step: 'crafted' });
  const [{ checkAndSignBytes }, check] = await Promise.all([import('./transaction.js'), loadCheck()]);
  return checkAndSignBytes(connection, base64, check, options);
}

/** The answer to what was posted with a signature of the wallet. @throws SlipwayError that is not `retryable` where none came */
export async function answered<T>(signature: string | undefined, posted: Promise<T>): Promise<T> {
  return posted.catch((error: unknown) => {
    throw afterSigning(error, signature);
  });
}

/** @throws SlipwayError invalid_request for what cannot be an address */
export function requireAddress(field: string, value: string): void {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return;
  throw new SlipwayError('invalid_request', `${field}: expected a public key in base58 (32 bytes)`, { field });
}

/** The amount as the service takes it. @throws SlipwayError invalid_request for what is no amount */
export function amountText(field: string, value: bigint): string {
  if (typeof value === 'bigint' && value > 0n && value < 2n ** 64n) return value.toString();
  const message = `${field}: expected a bigint of the smallest unit from 1 to ${2n ** 64n - 1n}`;
  throw new SlipwayError('invalid_request', message, { field });
}

/**
 * An amount as the service tells it. More digits than the chain knows would only keep this busy: millions take seconds.
 * @throws SlipwayError not_slipway for what is no amount
 */
export function amountOf(told: string | number): bigint {
  if (/^\d{1,20}$/.test(`${told}`)) return BigInt(told);
  throw new SlipwayError('not_slipway', 'the service told an amount that is none');
}

/** Unix milliseconds. @throws SlipwayError invalid_request for what is no time */
export function timeOf(field: string, value: Date): number {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  throw new SlipwayError('invalid_request', `${field}: expected a Date`, { field });
}

/** The lesser of what was quoted and what was agreed to. */
export const leastOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);
