import { hash } from 'node:crypto';
import { type AccountMeta, type Address, addressFromBytes, type Instruction } from '@slipway/wire';
import type { ChainAccount } from '../../../chain/index.js';

const TAG_SIZE = 8;

/** Anchor's eight-byte discriminator of an account of this name, as a little-endian number. */
export const accountTag = (name: string): bigint => hash('sha256', `account:${name}`, 'buffer').readBigUInt64LE(0);

/** A view of the data, if the account belongs to the program and has this tag and this length. */
export function taggedView(
  { owner, data }: ChainAccount,
  expected: { program: Address; tag: bigint; size: number },
): DataView | undefined {
  if (owner !== expected.program || data.length !== expected.size) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return view.getBigUint64(0, true) === expected.tag ? view : undefined;
}

export const u64At = (view: DataView, at: number): bigint => view.getBigUint64(at, true);

export const u128At = (view: DataView, at: number): bigint =>
  view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);

/** The address at `offset`. Cached by its bytes, since a pool names the same ones after every trade. */
export function addressAt(data: Uint8Array, offset: number): Address {
  const view = new DataView(data.buffer, data.byteOffset + offset, ADDRESS_SIZE);
  const key = view.getBigUint64(0, true) ^ view.getBigUint64(24, true);
  const known = addresses.get(key);
  if (known && isSame(known.bytes, data, offset)) return known.address;
  if (addresses.size >= MAX_ADDRESSES) addresses.clear();
  const address = addressFromBytes(data, offset);
  addresses.set(key, { bytes: new Uint8Array(data.subarray(offset, offset + ADDRESS_SIZE)), address });
  return address;
}

const ADDRESS_SIZE = 32;
const MAX_ADDRESSES = 100_000;
const addresses = new Map<bigint, { bytes: Uint8Array; address: Address }>();

function isSame(bytes: Uint8Array, data: Uint8Array, offset: number): boolean {
  for (let i = 0; i < ADDRESS_SIZE; i++) if (bytes[i] !== data[offset + i]) return false;
  return true;
}

/** Reads each account object once: new bytes always come in a new object. */
export function readOnce<T>(read: (account: ChainAccount) => T): (account: ChainAccount) => T {
  const known = new WeakMap<ChainAccount, { value: T }>();
  return (account) => {
    let entry = known.get(account);
    if (!entry) {
      entry = { value: read(account) };
      known.set(account, entry);
    }
    return entry.value;
  };
}

/** An instruction whose data is a tag and 64-bit numbers, followed by more bytes. */
export function anchorInstruction(
  program: Address,
  accounts: AccountMeta[],
  { tag, numbers, rest = [] }: { tag: Uint8Array; numbers: readonly bigint[]; rest?: readonly number[] },
): Instruction {
  const data = Buffer.alloc(TAG_SIZE + 8 * numbers.length + rest.length);
  data.set(tag);
  for (const [i, number] of numbers.entries()) data.writeBigUInt64LE(number, TAG_SIZE + 8 * i);
  data.set(rest, TAG_SIZE + 8 * numbers.length);
  return { program, accounts, data: new Uint8Array(data) };
}

/** Offset of the first number in the data of such an instruction. */
export const FIRST_NUMBER_AT = TAG_SIZE;
