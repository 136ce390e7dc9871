import type { Address } from './address.js';
import type { DecodedMessage } from './message.js';
import { Reader } from './reader.js';
import { WireError } from './wire-error.js';

/** The first byte of such a transaction. */
const VERSION_1 = 0x81;
const CONFIG_MASK_LENGTH = 4;
/** Of the value of each bit that is set in the mask. */
const CONFIG_VALUE_LENGTH = 4;
const SIGNATURE_LENGTH = 64;

/** Whether the bytes begin as such a transaction does, and as no other one that a validator takes. */
export function isVersion1(wire: Uint8Array): boolean {
  return wire[0] === VERSION_1;
}

/**
 * What a landed transaction of version 1 (SIMD-0385) says: its accounts, none of which come from lookup tables, and its
 * instructions, as in a message of version 0. Undefined for bytes of another version. To read what others have done; nothing that
 * is to be signed has this version. Throws WireError for bytes that are cut off, or go on.
 */
export function decodeVersion1(wire: Uint8Array): DecodedMessage | undefined {
  if (!isVersion1(wire)) return undefined;
  const reader = new Reader(wire);
  reader.u8('the version');
  const header = {
    requiredSignatures: reader.u8('the header'),
    readonlySigned: reader.u8('the header'),
    readonlyUnsigned: reader.u8('the header'),
  };
  const mask = reader.bytes(CONFIG_MASK_LENGTH, 'the mask of the configuration');
  const blockhash = reader.address('the blockhash');
  const counts = { instructions: reader.u8('a count'), accounts: reader.u8('a count') };
  const accounts: Address[] = [];
  for (let i = 0; i < counts.accounts; i++) accounts.push(reader.address('an account'));
  reader.bytes(CONFIG_VALUE_LENGTH * bitsIn(mask), 'the configuration');
  const heads: { programIndex: number; accounts: number; data: number }[] = [];
  for (let i = 0; i < counts.instructions; i++) {
    const [programIndex, named, low, high] = reader.bytes(4, 'the head of an instruction');
    heads.push({ programIndex: programIndex!, accounts: named!, data: low! | (high! << 8) });
  }
  const instructions = heads.map(({ programIndex, ...lengths }) => ({
    programIndex,
    accountIndexes: [...reader.bytes(lengths.accounts, 'account indexes')],
    data: reader.bytes(lengths.data, 'instruction data'),
  }));
  if (reader.remaining !== SIGNATURE_LENGTH * header.requiredSignatures) throw new WireError('wrong signatures');
  const used = instructions.flatMap(({ programIndex, accountIndexes }) => [programIndex, ...accountIndexes]);
  if (used.some((index) => index >= accounts.length)) throw new WireError('an account index is out of range');
  return { version: 0, header, accounts, blockhash, instructions, lookups: [] };
}

function bitsIn(mask: Uint8Array): number {
  return mask.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
}
