import { type Address, addressFromBytes, writeAddress } from '@slipway/wire';
import { asBuffer, rawKey } from './bytes.js';
import type { Account } from './types.js';

const KEY = 32;
const ACCOUNT_HEAD = 8 + KEY + 1 + 4;
const DELTA_HEAD = 8 + 4 + 4 + 4;
const COMPARE_BLOCK = 4096;

const DELETED = 0;
const WHOLE = 1;
const DELTA = 2;

/** A written account. `before` is what the reader of the record will have of it; undefined where it has nothing. */
export interface AccountChange {
  address: Address;
  before: Account | undefined;
  after: Account | undefined;
}

/** Reads accounts one after the other; the owners, which repeat, are decoded once. */
export class AccountReader {
  readonly #bytes: Buffer;
  readonly #owners: Map<string, Address>;
  #position: number;

  constructor(bytes: Buffer, position: number, owners = new Map<string, Address>()) {
    this.#bytes = bytes;
    this.#position = position;
    this.#owners = owners;
  }

  get position(): number {
    return this.#position;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#skip(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#skip(8));
  }

  address(): Address {
    return addressFromBytes(this.#bytes, this.#skip(KEY));
  }

  /** An account; its data is a view of what is read from. */
  account(): Account {
    const lamports = this.u64();
    const owner = this.#owner();
    const executable = this.u8() === 1;
    return { lamports, owner, executable, data: this.view(this.u32()) };
  }

  view(length: number): Buffer {
    const start = this.#skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  #owner(): Address {
    const start = this.#skip(KEY);
    const key = rawKey(this.#bytes, start);
    let owner = this.#owners.get(key);
    if (owner === undefined) {
      owner = addressFromBytes(this.#bytes, start);
      this.#owners.set(key, owner);
    }
    return owner;
  }

  #skip(length: number): number {
    const start = this.#position;
    if (start + length > this.#bytes.length) throw new RangeError('the record ends too early');
    this.#position = start + length;
    return start;
  }
}

export function encodedAccountLength(account: Account): number {
  return ACCOUNT_HEAD + account.data.length;
}

/** Writes an account at `position`; answers where it ends. */
export function writeAccount({ lamports, owner, executable, data }: Account, out: Buffer, position: number): number {
  out.writeBigUInt64LE(lamports, position);
  writeAddress(owner, out, position + 8);
  out.writeUInt8(executable ? 1 : 0, position + 8 + KEY);
  out.writeUInt32LE(data.length, position + 9 + KEY);
  out.set(data, position + ACCOUNT_HEAD);
  return position + ACCOUNT_HEAD + data.length;
}

/** The bytes of changes. Where only some of an account's data changed, only those bytes are written. */
export function encodeChanges(changes: AccountChange[]): Buffer {
  const plans = changes.map((change) => ({ change, range: changedRange(change) }));
  const length = plans.reduce((sum, { change, range }) => {
    const { after } = change;
    const body = !after ? 0 : range ? DELTA_HEAD + range.end - range.start : encodedAccountLength(after);
    return sum + KEY + 1 + body;
  }, 0);
  const out = Buffer.allocUnsafe(length);
  let position = 0;
  for (const { change, range } of plans) {
    const { address, after } = change;
    writeAddress(address, out, position);
    position += KEY;
    out.writeUInt8(after ? (range ? DELTA : WHOLE) : DELETED, position++);
    if (!after) continue;
    position = range ? writeDelta(after, range, out, position) : writeAccount(after, out, position);
  }
  return out;
}

/** Reads a change; `lookup` gives the account that a partial one is based on, whose data it may overwrite. */
export function readChange(
  reader: AccountReader,
  lookup: (address: Address) => Account | undefined,
): { address: Address; account: Account | undefined } {
  const address = reader.address();
  const kind = reader.u8();
  if (kind === DELETED) return { address, account: undefined };
  if (kind === WHOLE) {
    const account = reader.account();
    return { address, account: { ...account, data: Buffer.from(account.data) } };
  }
  const base = lookup(address);
  if (kind !== DELTA || !base) throw new RangeError(`a change of ${address} cannot be read`);
  const lamports = reader.u64();
  const length = reader.u32();
  const start = reader.u32();
  const bytes = reader.view(reader.u32());
  let data = base.data;
  if (data.length !== length) {
    data = Buffer.alloc(length);
    data.set(base.data.subarray(0, length));
  }
  data.set(bytes, start);
  return { address, account: { ...base, lamports, data } };
}

interface Range {
  start: number;
  end: number;
}

function writeDelta(after: Account, { start, end }: Range, out: Buffer, position: number): number {
  out.writeBigUInt64LE(after.lamports, position);
  out.writeUInt32LE(after.data.length, position + 8);
  out.writeUInt32LE(start, position + 12);
  out.writeUInt32LE(end - start, position + 16);
  out.set(after.data.subarray(start, end), position + DELTA_HEAD);
  return position + DELTA_HEAD + end - start;
}

/** Where the data differs; undefined when the whole account must be written. */
function changedRange({ before, after }: AccountChange): Range | undefined {
  if (!before || !after || before.owner !== after.owner || before.executable !== after.executable) return undefined;
  const a = asBuffer(before.data);
  const b = asBuffer(after.data);
  const shared = Math.min(a.length, b.length);
  let start = 0;
  while (
    start + COMPARE_BLOCK <= shared &&
    a.compare(b, start, start + COMPARE_BLOCK, start, start + COMPARE_BLOCK) === 0
  ) {
    start += COMPARE_BLOCK;
  }
  while (start < shared && a[start] === b[start]) start++;
  if (a.length !== b.length) return { start, end: b.length };
  let end = b.length;
  while (end - COMPARE_BLOCK >= start && a.compare(b, end - COMPARE_BLOCK, end, end - COMPARE_BLOCK, end) === 0) {
    end -= COMPARE_BLOCK;
  }
  while (end > start && a[end - 1] === b[end - 1]) end--;
  return { start, end };
}
