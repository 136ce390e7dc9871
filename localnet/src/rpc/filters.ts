import { type Address, addressFromBytes, base58Decode, decodeTokenAccount } from '@slipway/wire';
import type { Account } from '../types.js';
import { invalidParam, RPC_CODE, RpcError } from './errors.js';
import { decodeBase64, readChoice, readList, readObject, readSize, readString } from './params.js';
import { isTokenProgram } from './render.js';

const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;
/** 128 bytes never take more characters of base58. */
const MAX_MEMCMP_BASE58 = 175;
const TOKEN_ACCOUNT_SIZE = 165;

export type AccountFilter =
  | { kind: 'dataSize'; size: number }
  | { kind: 'memcmp'; offset: number; bytes: Uint8Array }
  | { kind: 'tokenAccountState' };

/** The `filters` of a scan or a program subscription: at most four, all of them must hold. */
export function readFilters(value: unknown): AccountFilter[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.length > MAX_FILTERS) {
    throw new RpcError(RPC_CODE.invalidParams, `Too many filters provided; max ${MAX_FILTERS}`);
  }
  return readList(value, 'filters', MAX_FILTERS).map((filter, index) => readFilter(filter, `filters[${index}]`));
}

/** Whether the account passes every filter. */
export function passesFilters(account: Account, filters: AccountFilter[]): boolean {
  return filters.every((filter) => passes(account, filter));
}

/**
 * The wallet or mint that the filters pin down, where they can only pass token accounts: the indexes then answer
 * instead of a scan of all accounts of the token program.
 */
export function tokenIndexKey(filters: AccountFilter[]): { mint?: Address; owner?: Address } | undefined {
  const onlyTokenAccounts = filters.some(
    (filter) =>
      filter.kind === 'tokenAccountState' || (filter.kind === 'dataSize' && filter.size === TOKEN_ACCOUNT_SIZE),
  );
  if (!onlyTokenAccounts) return undefined;
  for (const filter of filters) {
    if (filter.kind !== 'memcmp' || filter.bytes.length !== 32) continue;
    if (filter.offset === 32) return { owner: addressFromBytes(filter.bytes) };
    if (filter.offset === 0) return { mint: addressFromBytes(filter.bytes) };
  }
  return undefined;
}

function readFilter(value: unknown, name: string): AccountFilter {
  if (value === 'tokenAccountState') return { kind: 'tokenAccountState' };
  const filter = readObject(value, name);
  if ('dataSize' in filter) return { kind: 'dataSize', size: readSize(filter.dataSize, `${name}.dataSize`) };
  if ('tokenAccountState' in filter) return { kind: 'tokenAccountState' };
  if (!('memcmp' in filter)) throw invalidParam(name, 'expected dataSize, memcmp or tokenAccountState');
  const memcmp = readObject(filter.memcmp, `${name}.memcmp`);
  const bytes = readMemcmpBytes(memcmp, `${name}.memcmp.bytes`);
  if (bytes.length > MAX_MEMCMP_BYTES)
    throw invalidParam(`${name}.memcmp.bytes`, `more than ${MAX_MEMCMP_BYTES} bytes`);
  return { kind: 'memcmp', offset: readSize(memcmp.offset, `${name}.memcmp.offset`), bytes };
}

function readMemcmpBytes({ bytes, encoding }: Record<string, unknown>, name: string): Uint8Array {
  if (Array.isArray(bytes)) {
    if (bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) return Uint8Array.from(bytes);
    throw invalidParam(name, 'expected bytes from 0 to 255');
  }
  const text = readString(bytes, name);
  const form = readChoice(encoding, name.replace(/bytes$/, 'encoding'), ['base58', 'base64']);
  if (form === 'base58' && text.length > MAX_MEMCMP_BASE58)
    throw invalidParam(name, `more than ${MAX_MEMCMP_BYTES} bytes`);
  const decoded = form === 'base58' ? base58Decode(text) : decodeBase64(text);
  if (!decoded) throw invalidParam(name, `Invalid ${form}`);
  return decoded;
}

function passes(account: Account, filter: AccountFilter): boolean {
  const { data } = account;
  switch (filter.kind) {
    case 'dataSize':
      return data.length === filter.size;
    case 'tokenAccountState': {
      const state = isTokenProgram(account.owner) ? decodeTokenAccount(data)?.state : undefined;
      return state !== undefined && state !== 'uninitialized';
    }
    case 'memcmp': {
      const end = filter.offset + filter.bytes.length;
      return end <= data.length && filter.bytes.every((byte, index) => data[filter.offset + index] === byte);
    }
  }
}
