import { hash } from 'node:crypto';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  addressFromBytes,
  base58Encode,
  type DecodedMessage,
  decodeTransaction,
  isWritable,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  WireError,
} from '@slipway/wire';
import { ChainError } from './chain-error.js';
import type { Account, LoadedAddresses } from './types.js';

const TABLE_HEAD = 56;

export type AccountLookup = (address: Address) => Account | undefined;

/** A transaction as it was sent. */
export interface ChainTransaction {
  wire: Uint8Array;
  message: DecodedMessage;
  /** Base58 of the first signature. */
  signature: string;
  /** Hash of the message's bytes: the same message counts as the same transaction whatever its signatures. */
  messageKey: string;
}

/** Decodes a transaction. Throws a ChainError of the kind `sanitize` when the bytes are none. */
export function parseTransaction(wire: Uint8Array): ChainTransaction {
  try {
    const { decoded, message, signatures } = decodeTransaction(wire);
    return { wire, message: decoded, signature: base58Encode(signatures[0]!), messageKey: messageKey(message) };
  } catch (error) {
    if (error instanceof WireError) throw new ChainError('sanitize', `not a transaction: ${error.message}`);
    throw error;
  }
}

export function messageKey(message: Uint8Array): string {
  return hash('sha256', message, 'base64');
}

/** The addresses that the message takes from lookup tables; none where a table is not as the message says. */
export function loadedAddresses(message: DecodedMessage, lookup: AccountLookup): LoadedAddresses {
  const loaded: LoadedAddresses = { writable: [], readonly: [] };
  for (const { table, writable, readonly } of message.lookups) {
    const account = lookup(table);
    if (account?.owner !== ADDRESS_LOOKUP_TABLE_PROGRAM) continue;
    const entry = (index: number) => tableEntry(account.data, index);
    loaded.writable.push(...writable.flatMap(entry));
    loaded.readonly.push(...readonly.flatMap(entry));
  }
  return loaded;
}

/** All accounts of a transaction in the order that its indexes count in. */
export function allAccounts(message: DecodedMessage, { writable, readonly }: LoadedAddresses): Address[] {
  return message.lookups.length === 0 ? message.accounts : [...message.accounts, ...writable, ...readonly];
}

/** The accounts that the message asks to write. */
export function writableAccounts(message: DecodedMessage, { writable }: LoadedAddresses): Address[] {
  return [...message.accounts.filter((_, index) => isWritable(message, index)), ...writable];
}

/** The text of the memo instructions in the form in which signatures are listed; null without any. */
export function memoOf({ accounts, instructions }: DecodedMessage): string | null {
  const memos: string[] = [];
  for (const { programIndex, data } of instructions) {
    const program = accounts[programIndex];
    if (program === MEMO_PROGRAM || program === MEMO_V1_PROGRAM) {
      memos.push(`[${data.length}] ${Buffer.from(data).toString('utf8')}`);
    }
  }
  return memos.length > 0 ? memos.join('; ') : null;
}

function tableEntry(data: Uint8Array, index: number): Address[] {
  const start = TABLE_HEAD + 32 * index;
  return start + 32 <= data.length ? [addressFromBytes(data, start)] : [];
}
