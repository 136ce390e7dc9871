import type { Address } from './address.js';
import type { DecodedMessage, MessageHeader, TableLookup } from './message.js';
import { Reader } from './reader.js';
import { WireError } from './wire-error.js';

const VERSION_FLAG = 0x80;
const MAX_ACCOUNTS = 256;
const KEY_LENGTH = 32;
// Program index, and the counts of accounts and of data.
const MIN_INSTRUCTION_LENGTH = 3;
// Table, and the counts of writable and of readonly indexes.
const MIN_LOOKUP_LENGTH = KEY_LENGTH + 2;

/**
 * Decodes the bytes of a message, which may be hostile. Accepts exactly what validators accept, as far as the bytes
 * alone can tell, and throws WireError for all else: truncated or trailing bytes, an unknown version, counts that are
 * not in their shortest form, a header that does not fit the keys, a fee payer that is not a writable signer, repeated
 * static keys, indexes out of range, a program that is the fee payer or looked up, an empty lookup.
 */
export function decodeMessage(bytes: Uint8Array): DecodedMessage {
  const reader = new Reader(bytes);
  const first = reader.u8('the version');
  const version = first < VERSION_FLAG ? 'legacy' : 0;
  if (version === 0 && first !== VERSION_FLAG) throw new WireError(`message version ${first & 0x7f} is not supported`);
  const header = {
    requiredSignatures: version === 'legacy' ? first : reader.u8('the header'),
    readonlySigned: reader.u8('the header'),
    readonlyUnsigned: reader.u8('the header'),
  };
  const accounts = readAccounts(reader);
  checkHeader(header, accounts.length);
  const blockhash = reader.address('the blockhash');
  const instructions = readInstructions(reader);
  const lookups = version === 0 ? readLookups(reader) : [];
  if (reader.remaining > 0) throw new WireError(`${reader.remaining} bytes after the message`);
  const message: DecodedMessage = { version, header, accounts, blockhash, instructions, lookups };
  checkIndexes(message);
  return message;
}

function readAccounts(reader: Reader): Address[] {
  const count = reader.count('the number of accounts', KEY_LENGTH);
  const accounts: Address[] = [];
  for (let i = 0; i < count; i++) accounts.push(reader.address('an account'));
  if (new Set(accounts).size !== count) throw new WireError('an account stands twice in the message');
  return accounts;
}

function checkHeader(header: MessageHeader, accounts: number): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = header;
  if (readonlySigned >= requiredSignatures) throw new WireError('the fee payer is not a writable signer');
  if (requiredSignatures + readonlyUnsigned > accounts)
    throw new WireError('the header names more accounts than exist');
}

function readInstructions(reader: Reader): DecodedMessage['instructions'] {
  const count = reader.count('the number of instructions', MIN_INSTRUCTION_LENGTH);
  const instructions: DecodedMessage['instructions'] = [];
  for (let i = 0; i < count; i++) {
    const programIndex = reader.u8('a program index');
    const accountIndexes = reader.u8List('account indexes');
    const data = reader.bytes(reader.count('the length of instruction data', 1), 'instruction data');
    instructions.push({ programIndex, accountIndexes, data });
  }
  return instructions;
}

function readLookups(reader: Reader): TableLookup[] {
  const count = reader.count('the number of lookup tables', MIN_LOOKUP_LENGTH);
  const lookups: TableLookup[] = [];
  for (let i = 0; i < count; i++) {
    const table = reader.address('a lookup table');
    const writable = reader.u8List('writable lookups');
    const readonly = reader.u8List('readonly lookups');
    if (writable.length + readonly.length === 0) throw new WireError('a lookup table is named but not used');
    lookups.push({ table, writable, readonly });
  }
  return lookups;
}

function checkIndexes({ accounts, instructions, lookups }: DecodedMessage): void {
  const lookedUp = lookups.reduce((count, { writable, readonly }) => count + writable.length + readonly.length, 0);
  const total = accounts.length + lookedUp;
  if (total > MAX_ACCOUNTS) throw new WireError(`${total} accounts, more than ${MAX_ACCOUNTS}`);
  for (const { programIndex, accountIndexes } of instructions) {
    if (programIndex === 0) throw new WireError('the fee payer cannot be a called program');
    if (programIndex >= accounts.length) throw new WireError(`the program index ${programIndex} is out of range`);
    for (const index of accountIndexes) {
      if (index >= total) throw new WireError(`the account index ${index} is out of range`);
    }
  }
}
