import type { Address } from './address.js';
import { decodeKey } from './base58.js';
import { compactU16Length, MAX_COMPACT_U16, writeCompactU16 } from './compact-u16.js';
import type { Instruction, LookupTable } from './message.js';
import { CalledFeePayer, WireError } from './wire-error.js';

export interface MessageInput {
  version: 0 | 'legacy';
  feePayer: Address;
  /** Those of the signers that come first after the fee payer, where their order matters to somebody. */
  signers?: Address[];
  instructions: Instruction[];
  /** A recent blockhash or a durable nonce, in base58. */
  blockhash: string;
  /** For version 0 only: accounts that neither sign nor are called are taken from these where they stand there. */
  lookupTables?: LookupTable[];
  /** Accounts that are never taken from a table, wherever they stand. */
  inFull?: readonly Address[];
}

const MAX_ACCOUNTS = 256;
// The first byte of a legacy message is this count, and its highest bit marks the versioned ones.
const MAX_SIGNERS = 127;
const VERSION_0_PREFIX = 0x80;
const HEADER_LENGTH = 3;

interface Entry {
  address: Address;
  signer: boolean;
  writable: boolean;
  program: boolean;
  lookedUp: boolean;
  index: number;
}

interface Lookup {
  table: Address;
  writable: { entry: Entry; tableIndex: number }[];
  readonly: { entry: Entry; tableIndex: number }[];
}

interface Layout {
  entries: Map<Address, Entry>;
  statics: Entry[];
  signers: number;
  readonlySigned: number;
  readonlyUnsigned: number;
  lookups: Lookup[];
}

/**
 * The bytes of a message. Accounts: the fee payer, writable signers, readonly signers, writable others, readonly
 * others; in a group as they first appear (looked-up ones in the order of their tables). The size of a transaction is
 * not checked here. Throws WireError for what no message can hold: a malformed key, over 256 accounts, over 127
 * signers, a called fee payer, an instruction with over 65,535 accounts or bytes, lookup tables in a legacy message.
 */
export function compileMessage(input: MessageInput): Uint8Array {
  const layout = layOut(input);
  const out = new Uint8Array(messageLength(input, layout));
  let position = 0;
  if (input.version === 0) out[position++] = VERSION_0_PREFIX;
  out[position++] = layout.signers;
  out[position++] = layout.readonlySigned;
  out[position++] = layout.readonlyUnsigned;
  position = writeCompactU16(layout.statics.length, out, position);
  for (const { address } of layout.statics) position = writeKey(address, out, position);
  position = writeKey(input.blockhash, out, position);
  position = writeInstructions(input.instructions, layout.entries, out, position);
  if (input.version === 0) writeLookups(layout.lookups, out, position);
  return out;
}

function layOut(input: MessageInput): Layout {
  const entries = collectEntries(input);
  const lookups = input.lookupTables === undefined ? [] : assignLookups(input, input.lookupTables, entries);
  const groups: [Entry[], Entry[], Entry[], Entry[]] = [[], [], [], []];
  for (const entry of entries.values()) {
    if (!entry.lookedUp) groups[(entry.signer ? 0 : 2) + (entry.writable ? 0 : 1)]!.push(entry);
  }
  const statics = groups.flat();
  const ordered = [...statics];
  for (const lookup of lookups) for (const { entry } of lookup.writable) ordered.push(entry);
  for (const lookup of lookups) for (const { entry } of lookup.readonly) ordered.push(entry);
  if (ordered.length > MAX_ACCOUNTS) throw new WireError(`${ordered.length} accounts, more than ${MAX_ACCOUNTS}`);
  ordered.forEach((entry, index) => {
    entry.index = index;
  });
  const signers = groups[0].length + groups[1].length;
  if (signers > MAX_SIGNERS) throw new WireError(`${signers} signers, more than ${MAX_SIGNERS}`);
  return { entries, statics, signers, readonlySigned: groups[1].length, readonlyUnsigned: groups[3].length, lookups };
}

function collectEntries(input: MessageInput): Map<Address, Entry> {
  const entries = new Map<Address, Entry>();
  const entryOf = (address: Address): Entry => {
    let entry = entries.get(address);
    if (entry === undefined) {
      entry = { address, signer: false, writable: false, program: false, lookedUp: false, index: -1 };
      entries.set(address, entry);
    }
    return entry;
  };
  const payer = entryOf(input.feePayer);
  payer.signer = true;
  payer.writable = true;
  for (const address of input.signers ?? []) entryOf(address).signer = true;
  for (const instruction of input.instructions) {
    entryOf(instruction.program).program = true;
    for (const account of instruction.accounts) {
      const entry = entryOf(account.address);
      if (account.signer) entry.signer = true;
      if (account.writable) entry.writable = true;
    }
  }
  if (payer.program) throw new CalledFeePayer(payer.address);
  return entries;
}

/** Marks the entries that a table holds. Only tables that are used are returned. */
function assignLookups(
  { version, inFull = [] }: MessageInput,
  tables: LookupTable[],
  entries: Map<Address, Entry>,
): Lookup[] {
  if (version === 'legacy' && tables.length > 0) throw new WireError('a legacy message cannot use lookup tables');
  const kept = new Set(inFull);
  const lookups: Lookup[] = [];
  for (const table of tables) {
    if (table.addresses.length > MAX_ACCOUNTS) throw new WireError(`the lookup table ${table.address} is too long`);
    const lookup: Lookup = { table: table.address, writable: [], readonly: [] };
    table.addresses.forEach((address, tableIndex) => {
      const entry = entries.get(address);
      if (entry === undefined || entry.signer || entry.program || entry.lookedUp || kept.has(address)) return;
      entry.lookedUp = true;
      (entry.writable ? lookup.writable : lookup.readonly).push({ entry, tableIndex });
    });
    if (lookup.writable.length + lookup.readonly.length > 0) lookups.push(lookup);
  }
  return lookups;
}

function messageLength(input: MessageInput, { statics, lookups }: Layout): number {
  let length = HEADER_LENGTH + compactU16Length(statics.length) + 32 * statics.length + 32;
  length += compactU16Length(checkedCount(input.instructions.length, 'instructions'));
  for (const { accounts, data } of input.instructions) {
    length += 1 + compactU16Length(checkedCount(accounts.length, 'accounts in an instruction')) + accounts.length;
    length += compactU16Length(checkedCount(data.length, 'bytes in an instruction')) + data.length;
  }
  if (input.version === 'legacy') return length;
  length += 1 + compactU16Length(checkedCount(lookups.length, 'lookup tables'));
  for (const { writable, readonly } of lookups) {
    length += 32 + compactU16Length(writable.length) + writable.length;
    length += compactU16Length(readonly.length) + readonly.length;
  }
  return length;
}

function checkedCount(count: number, what: string): number {
  if (count > MAX_COMPACT_U16) throw new WireError(`${count} ${what}, more than ${MAX_COMPACT_U16}`);
  return count;
}

function writeInstructions(
  instructions: Instruction[],
  entries: Map<Address, Entry>,
  out: Uint8Array,
  offset: number,
): number {
  let position = writeCompactU16(instructions.length, out, offset);
  for (const { program, accounts, data } of instructions) {
    out[position++] = entries.get(program)!.index;
    position = writeCompactU16(accounts.length, out, position);
    for (const { address } of accounts) out[position++] = entries.get(address)!.index;
    position = writeCompactU16(data.length, out, position);
    out.set(data, position);
    position += data.length;
  }
  return position;
}

function writeLookups(lookups: Lookup[], out: Uint8Array, offset: number): void {
  let position = writeCompactU16(lookups.length, out, offset);
  for (const { table, writable, readonly } of lookups) {
    position = writeKey(table, out, position);
    for (const picked of [writable, readonly]) {
      position = writeCompactU16(picked.length, out, position);
      for (const { tableIndex } of picked) out[position++] = tableIndex;
    }
  }
}

function writeKey(key: string, out: Uint8Array, position: number): number {
  if (!decodeKey(key, out, position))
    throw new WireError(`not 32 bytes in base58: ${JSON.stringify(key.slice(0, 64))}`);
  return position + 32;
}
