import type { Address } from './address.js';
import { WireError } from './wire-error.js';

/** An account of an instruction, and what the instruction may do with it. */
export interface AccountMeta {
  address: Address;
  signer: boolean;
  writable: boolean;
}

export interface Instruction {
  program: Address;
  accounts: AccountMeta[];
  data: Uint8Array;
}

/** A lookup table as it stands on the chain: an index in a message points into `addresses`. */
export interface LookupTable {
  address: Address;
  addresses: Address[];
}

/** The indexes that a message takes from one lookup table. */
export interface TableLookup {
  table: Address;
  writable: number[];
  readonly: number[];
}

export interface MessageHeader {
  requiredSignatures: number;
  readonlySigned: number;
  readonlyUnsigned: number;
}

/** `accounts` holds the static keys; indexes beyond them point to looked-up ones, all writable ones first. */
export interface DecodedMessage {
  version: 0 | 'legacy';
  header: MessageHeader;
  accounts: Address[];
  blockhash: string;
  instructions: { programIndex: number; accountIndexes: number[]; data: Uint8Array }[];
  lookups: TableLookup[];
}

export function writableSigner(address: Address): AccountMeta {
  return { address, signer: true, writable: true };
}

export function readonlySigner(address: Address): AccountMeta {
  return { address, signer: true, writable: false };
}

export function writableAccount(address: Address): AccountMeta {
  return { address, signer: false, writable: true };
}

export function readonlyAccount(address: Address): AccountMeta {
  return { address, signer: false, writable: false };
}

/**
 * Whether the message asks to write the account at this index, static or looked up.
 * The runtime still keeps sysvars, built-in programs and called programs read-only.
 */
export function isWritable(message: DecodedMessage, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = message.header;
  const statics = message.accounts.length;
  if (index < requiredSignatures) return index < requiredSignatures - readonlySigned;
  if (index < statics) return index < statics - readonlyUnsigned;
  return index < statics + countLookups(message, 'writable');
}

/** Whether the message needs a signature of the account at this index. */
export function isSigner(message: DecodedMessage, index: number): boolean {
  return index < message.header.requiredSignatures;
}

/** The accounts that must sign, in the order of the signatures; the fee payer is the first. */
export function requiredSigners(message: DecodedMessage): Address[] {
  return message.accounts.slice(0, message.header.requiredSignatures);
}

/**
 * The instructions with their addresses in place; signer and writable are those of the whole message. Throws WireError
 * when the message uses a lookup table that is not among `tables`, or an index beyond its end.
 */
export function decompileInstructions(message: DecodedMessage, tables: LookupTable[] = []): Instruction[] {
  const addresses = [
    ...message.accounts,
    ...lookUp(message.lookups, tables, 'writable'),
    ...lookUp(message.lookups, tables, 'readonly'),
  ];
  const metas = addresses.map((address, index) => ({
    address,
    signer: isSigner(message, index),
    writable: isWritable(message, index),
  }));
  return message.instructions.map(({ programIndex, accountIndexes, data }) => ({
    program: metaAt(metas, programIndex).address,
    accounts: accountIndexes.map((index) => ({ ...metaAt(metas, index) })),
    data,
  }));
}

function countLookups(message: DecodedMessage, kind: 'writable' | 'readonly'): number {
  return message.lookups.reduce((count, lookup) => count + lookup[kind].length, 0);
}

function lookUp(lookups: TableLookup[], tables: LookupTable[], kind: 'writable' | 'readonly'): Address[] {
  return lookups.flatMap((lookup) => {
    const table = tables.find((candidate) => candidate.address === lookup.table);
    if (table === undefined) throw new WireError(`the lookup table ${lookup.table} is not known`);
    return lookup[kind].map((index) => {
      const address = table.addresses[index];
      if (address === undefined) throw new WireError(`the lookup table ${lookup.table} has no entry ${index}`);
      return address;
    });
  });
}

function metaAt(metas: AccountMeta[], index: number): AccountMeta {
  const meta = metas[index];
  if (meta === undefined) throw new WireError(`there is no account ${index}`);
  return meta;
}
