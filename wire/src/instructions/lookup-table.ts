import { type Address, addressToBytes, writeAddress } from '../address.js';
import { writeU32, writeU64 } from '../integers.js';
import { type Instruction, readonlyAccount, readonlySigner, writableAccount, writableSigner } from '../message.js';
import { findProgramAddress } from '../pda.js';
import { ADDRESS_LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../programs.js';

const CREATE = 0;
const EXTEND = 2;
const DEACTIVATE = 3;
const CLOSE = 4;

/** The address of the lookup table that `createLookupTable` makes. Throws RangeError when `recentSlot` is no u64. */
export function lookupTableAddress(authority: Address, recentSlot: bigint): { address: Address; bump: number } {
  const slot = new Uint8Array(8);
  writeU64(recentSlot, 'recentSlot', slot, 0);
  return findProgramAddress([addressToBytes(authority), slot], ADDRESS_LOOKUP_TABLE_PROGRAM);
}

/** Makes an empty lookup table; `recentSlot` must be in the slot hashes. Throws RangeError when it is no u64. */
export function createLookupTable(input: { authority: Address; payer: Address; recentSlot: bigint }): Instruction {
  const { address, bump } = lookupTableAddress(input.authority, input.recentSlot);
  const data = new Uint8Array(13);
  writeU32(CREATE, 'the instruction', data, 0);
  writeU64(input.recentSlot, 'recentSlot', data, 4);
  data[12] = bump;
  return {
    program: ADDRESS_LOOKUP_TABLE_PROGRAM,
    accounts: [
      writableAccount(address),
      readonlySigner(input.authority),
      writableSigner(input.payer),
      readonlyAccount(SYSTEM_PROGRAM),
    ],
    data,
  };
}

/** Appends addresses to a lookup table; the payer pays the rent of what it grows. */
export function extendLookupTable(input: {
  table: Address;
  authority: Address;
  payer: Address;
  addresses: Address[];
}): Instruction {
  const data = new Uint8Array(12 + 32 * input.addresses.length);
  writeU32(EXTEND, 'the instruction', data, 0);
  writeU64(BigInt(input.addresses.length), 'the number of addresses', data, 4);
  input.addresses.forEach((address, index) => {
    writeAddress(address, data, 12 + 32 * index);
  });
  return {
    program: ADDRESS_LOOKUP_TABLE_PROGRAM,
    accounts: [
      writableAccount(input.table),
      readonlySigner(input.authority),
      writableSigner(input.payer),
      readonlyAccount(SYSTEM_PROGRAM),
    ],
    data,
  };
}

/** Ends the use of a lookup table: transactions may name it for some 500 slots more. */
export function deactivateLookupTable({ table, authority }: { table: Address; authority: Address }): Instruction {
  const accounts = [writableAccount(table), readonlySigner(authority)];
  return { program: ADDRESS_LOOKUP_TABLE_PROGRAM, accounts, data: numberOf(DEACTIVATE) };
}

/** Deletes a lookup table that has been deactivated and that nothing can name any longer; its rent goes to `recipient`. */
export function closeLookupTable(input: { table: Address; authority: Address; recipient: Address }): Instruction {
  const { table, authority, recipient } = input;
  const accounts = [writableAccount(table), readonlySigner(authority), writableAccount(recipient)];
  return { program: ADDRESS_LOOKUP_TABLE_PROGRAM, accounts, data: numberOf(CLOSE) };
}

function numberOf(instruction: number): Uint8Array {
  const data = new Uint8Array(4);
  writeU32(instruction, 'the instruction', data, 0);
  return data;
}
