import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Address, writeAddress } from '@slipway/wire';
import { AccountReader, encodedAccountLength, writeAccount } from './account-codec.js';
import { ChainError } from './chain-error.js';
import { type ChainState, decodeState, encodeState } from './chain-state.js';
import type { Account } from './types.js';

const MAGIC = 'slipway\n';
const FORMAT = 1;
const HEAD = MAGIC.length + 4 * 5 + 8;
const CHUNK = 1 << 20;

interface Snapshot {
  /** Counts the snapshots of a folder; the journal that goes on from one carries its number. */
  generation: number;
  /** The number in the name of the history's file. */
  historyFile: number;
  /** Where that file ended. */
  historyEnd: number;
  state: ChainState;
  accounts: Iterable<[Address, Account]>;
  /** Accounts of the upstream of a fork that were deleted here. */
  deleted: Iterable<Address>;
}

/** Writes a snapshot so that either the one before or this one is there, whatever happens. */
export function writeSnapshot(path: string, snapshot: Snapshot): void {
  const accounts = [...snapshot.accounts];
  const deleted = [...snapshot.deleted];
  const state = encodeState(snapshot.state);
  const head = Buffer.alloc(HEAD);
  head.write(MAGIC, 'latin1');
  const fields = [FORMAT, snapshot.generation, snapshot.historyFile, state.length, accounts.length];
  for (const [index, field] of fields.entries()) head.writeUInt32LE(field, MAGIC.length + 4 * index);
  head.writeBigUInt64LE(BigInt(snapshot.historyEnd), HEAD - 8);
  const draft = `${path}.new`;
  const fd = openSync(draft, 'w');
  try {
    const out = new ChunkedWriter(fd);
    out.bytes(head);
    out.bytes(state);
    for (const [address, account] of accounts) {
      const chunk = out.reserve(32 + encodedAccountLength(account));
      writeAddress(address, chunk, 0);
      writeAccount(account, chunk, 32);
    }
    for (const address of deleted) writeAddress(address, out.reserve(32), 0);
    out.end();
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** What was read of a snapshot. */
interface LoadedSnapshot extends Snapshot {
  accounts: Map<Address, Account>;
}

/** Reads a snapshot; undefined when there is none. Throws a ChainError of the kind `data` when it cannot be used. */
export function readSnapshot(path: string): LoadedSnapshot | undefined {
  const bytes = readIfThere(path);
  if (!bytes) return undefined;
  const folder = dirname(path);
  const remedy = `start with --reset to begin anew, which deletes it, or name another folder`;
  if (bytes.length < HEAD + 4 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new ChainError('data', `the data folder ${folder} holds no chain of this program; ${remedy}`);
  }
  const field = (index: number) => bytes.readUInt32LE(MAGIC.length + 4 * index);
  if (field(0) !== FORMAT) {
    throw new ChainError('data', `the data folder ${folder} has format ${field(0)}, not ${FORMAT}; ${remedy}`);
  }
  const end = bytes.length - 4;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) {
    throw new ChainError('data', `the snapshot in the data folder ${folder} is damaged; ${remedy}`);
  }
  const stateEnd = HEAD + field(3);
  const accounts = readAccounts(bytes.subarray(0, end), stateEnd, field(4));
  return {
    generation: field(1),
    historyFile: field(2),
    historyEnd: Number(bytes.readBigUInt64LE(HEAD - 8)),
    state: decodeState(bytes.subarray(HEAD, stateEnd)),
    ...accounts,
  };
}

function readAccounts(bytes: Buffer, start: number, count: number): Pick<LoadedSnapshot, 'accounts' | 'deleted'> {
  const reader = new AccountReader(bytes, start);
  const accounts = new Map<Address, Account>();
  for (let i = 0; i < count; i++) accounts.set(reader.address(), reader.account());
  const deleted: Address[] = [];
  while (reader.position < bytes.length) deleted.push(reader.address());
  return { accounts, deleted };
}

/** Collects writes into large ones and ends with a checksum of all. */
class ChunkedWriter {
  readonly #fd: number;
  #chunk = Buffer.allocUnsafe(CHUNK);
  #used = 0;
  #checksum = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes);
  }

  /** Room for the next bytes, to be filled before anything else is called. */
  reserve(length: number): Buffer {
    if (this.#used + length > this.#chunk.length) {
      this.#flush();
      if (length > this.#chunk.length) this.#chunk = Buffer.allocUnsafe(length);
    }
    const start = this.#used;
    this.#used += length;
    return this.#chunk.subarray(start, this.#used);
  }

  end(): void {
    this.#flush();
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(this.#checksum);
    this.#write(checksum);
  }

  #flush(): void {
    const bytes = this.#chunk.subarray(0, this.#used);
    this.#checksum = crc32(bytes, this.#checksum);
    this.#write(bytes);
    this.#used = 0;
  }

  #write(bytes: Buffer): void {
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
  }
}

/** Makes renames in a folder last. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
