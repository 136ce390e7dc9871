import { type Address, base58Decode, isAddress } from '@slipway/wire';
import { invalidParam, minContextSlotNotReached, RPC_CODE, RpcError } from './errors.js';

const U64_MAX = (1n << 64n) - 1n;
const COMMITMENTS = ['processed', 'confirmed', 'finalized'];

export type Config = Record<string, unknown>;

/** The positional parameters of a request; none where the field is left out. */
export function readParams(params: unknown): unknown[] {
  if (params === undefined || params === null) return [];
  if (!Array.isArray(params)) throw new RpcError(RPC_CODE.invalidParams, 'Invalid params: `params` should be an array');
  return params;
}

/** A base58 address of 32 bytes. */
export function readAddress(value: unknown, name: string): Address {
  const text = readString(value, name);
  if (isAddress(text)) return text;
  throw invalidParam(name, base58Decode(text) ? 'WrongSize, expected an address of 32 bytes' : 'Invalid base58');
}

/** A list of at most `max` addresses. */
export function readAddresses(value: unknown, name: string, max: number): Address[] {
  return readList(value, name, max).map((item, index) => readAddress(item, `${name}[${index}]`));
}

/** A transaction signature: base58 of 64 bytes. */
export function readSignature(value: unknown, name: string): string {
  const text = readString(value, name);
  // 64 bytes never take more than 88 characters: a bound on the work of decoding.
  const bytes = text.length <= 88 ? base58Decode(text) : undefined;
  if (bytes?.length === 64) return text;
  throw invalidParam(
    name,
    bytes || text.length > 88 ? 'WrongSize, expected a signature of 64 bytes' : 'Invalid base58',
  );
}

export function readList(value: unknown, name: string, max: number): unknown[] {
  if (!Array.isArray(value)) throw invalidParam(name, expected('an array', value));
  if (value.length > max) throw new RpcError(RPC_CODE.invalidParams, `Too many inputs provided; max ${max} (${name})`);
  return value;
}

export function readString(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidParam(name, expected('a string', value));
  return value;
}

/** An integer from 0 to 2^64 - 1. */
export function readU64(value: unknown, name: string): bigint {
  const integer = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof integer !== 'bigint' || integer < 0n || integer > U64_MAX) {
    throw invalidParam(name, expected('an unsigned 64-bit integer', value));
  }
  return integer;
}

/** An integer from 0 to 2^53 - 1. */
export function readSize(value: unknown, name: string): number {
  const size = readU64(value, name);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidParam(name, expected('a size', value));
  return Number(size);
}

/** True or false; false where it is left out. */
export function readFlag(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalidParam(name, expected('a boolean', value));
  return value;
}

/** One of the given texts; the first where it is left out. */
export function readChoice<T extends string>(value: unknown, name: string, choices: readonly [T, ...T[]]): T {
  if (value === undefined || value === null) return choices[0];
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw invalidParam(name, expected(`one of ${choices.join(', ')}`, value));
  return choice;
}

/** An object; an empty one where it is left out. */
export function readObject(value: unknown, name: string): Config {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidParam(name, expected('an object', value));
  return { ...value };
}

/**
 * The configuration object that most methods take last. There is one bank, so that every known commitment means the
 * same; `minContextSlot` is checked against `slot`, with error -32016 where that is not reached.
 */
export function readConfig(value: unknown, slot: bigint, name = 'config'): Config {
  const config = readObject(value, name);
  if (config.commitment !== undefined && config.commitment !== null && !COMMITMENTS.includes(`${config.commitment}`)) {
    throw invalidParam('commitment', expected(`one of ${COMMITMENTS.join(', ')}`, config.commitment));
  }
  const { minContextSlot } = config;
  if (minContextSlot !== undefined && minContextSlot !== null && readU64(minContextSlot, 'minContextSlot') > slot) {
    throw minContextSlotNotReached(slot);
  }
  return config;
}

/** Bytes in strict base64, padding included. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function expected(what: string, value: unknown): string {
  if (value === undefined) return `expected ${what}, it is missing`;
  const shown = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  return `expected ${what}, got ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}
