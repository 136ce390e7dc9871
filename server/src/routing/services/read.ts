import { type Address, type Instruction, isAddress } from '@slipway/wire';

/** An answer that does not follow the published contract; the message says in which field. */
export class Nonsense extends Error {
  override readonly name = 'Nonsense';
}

export type Fields = Record<string, unknown>;

const U64 = /^(0|[1-9][0-9]{0,19})$/;
const U64_MAX = 2n ** 64n - 1n;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MOST_TEXT = 64;
/** No transaction has room for more. */
const MOST_ACCOUNTS = 256;

export function fieldsOf(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Nonsense(`${field} is no object`);
  return value as Fields;
}

export function listOf(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value) || value.length > MOST_ACCOUNTS) throw new Nonsense(`${field} is no list`);
  return value;
}

/** Amounts come as decimal strings. */
export function amountOf(value: unknown, field: string): bigint {
  const amount = typeof value === 'string' && U64.test(value) ? BigInt(value) : undefined;
  if (amount === undefined || amount > U64_MAX) throw new Nonsense(`${field} is no amount`);
  return amount;
}

export function addressOf(value: unknown, field: string): Address {
  if (typeof value !== 'string' || !isAddress(value)) throw new Nonsense(`${field} is no address`);
  return value;
}

/** A number that comes as a string or as a number; 0 where there is none. */
export function numberOf(value: unknown, field: string): number {
  if (value === undefined || value === null || value === '') return 0;
  const number = typeof value === 'object' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw new Nonsense(`${field} is no number`);
  return number;
}

/** A few printable characters of what a service calls something. */
export function textOf(value: unknown): string {
  // An object may have no text, or hold others a million deep.
  return (typeof value === 'object' ? 'something else' : String(value))
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, MOST_TEXT);
}

export function instructionOf(value: unknown, field: string): Instruction {
  const { programId, accounts, data } = fieldsOf(value, field);
  if (typeof data !== 'string' || !BASE64.test(data)) throw new Nonsense(`${field}.data is not base64`);
  return {
    program: addressOf(programId, `${field}.programId`),
    accounts: listOf(accounts, `${field}.accounts`).map((account, i) => {
      const { pubkey, isSigner, isWritable } = fieldsOf(account, `${field}.accounts[${i}]`);
      return {
        address: addressOf(pubkey, `${field}.accounts[${i}].pubkey`),
        signer: isSigner === true,
        writable: isWritable === true,
      };
    }),
    data: Buffer.from(data, 'base64'),
  };
}
