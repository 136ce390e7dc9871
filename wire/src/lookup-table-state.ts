import { type Address, addressFromBytes, writeAddress } from './address.js';
import { readU32, readU64, writeU32, writeU64 } from './integers.js';
import { WireError } from './wire-error.js';

const TYPE_LOOKUP_TABLE = 1;
const EXTENDED_FROM_OFFSET = 20;
const AUTHORITY_TAG_OFFSET = 21;
const ADDRESSES_OFFSET = 56;
const MAX_ADDRESSES = 256;

export interface LookupTableState {
  /** The highest u64 while the table is active. */
  deactivationSlot: bigint;
  /** Addresses that were added in this slot can be used from the next one on. */
  lastExtendedSlot: bigint;
  /** The index of the first address that was added in that slot. */
  lastExtendedFrom: number;
  /** Missing once the table is frozen. */
  authority?: Address;
  addresses: Address[];
}

/** The lookup table in an account's data; undefined when it is none. The account's owner is not known here. */
export function decodeLookupTable(data: Uint8Array): LookupTableState | undefined {
  const count = (data.length - ADDRESSES_OFFSET) / 32;
  if (!Number.isInteger(count) || count < 0 || count > MAX_ADDRESSES) return undefined;
  const tag = data[AUTHORITY_TAG_OFFSET]!;
  if (readU32(data, 0) !== TYPE_LOOKUP_TABLE || tag > 1) return undefined;
  return {
    deactivationSlot: readU64(data, 4),
    lastExtendedSlot: readU64(data, 12),
    lastExtendedFrom: data[EXTENDED_FROM_OFFSET]!,
    ...(tag === 1 && { authority: addressFromBytes(data, AUTHORITY_TAG_OFFSET + 1) }),
    addresses: Array.from({ length: count }, (_, index) => addressFromBytes(data, ADDRESSES_OFFSET + 32 * index)),
  };
}

/** The data of the account of this table: what `decodeLookupTable` reads. Throws a WireError for more than 256 addresses. */
export function encodeLookupTable({
  deactivationSlot,
  lastExtendedSlot,
  lastExtendedFrom,
  authority,
  addresses,
}: LookupTableState): Uint8Array {
  if (addresses.length > MAX_ADDRESSES)
    throw new WireError(`${addresses.length} addresses, of which a table holds ${MAX_ADDRESSES}`);
  const data = new Uint8Array(ADDRESSES_OFFSET + 32 * addresses.length);
  writeU32(TYPE_LOOKUP_TABLE, 'the type', data, 0);
  writeU64(deactivationSlot, 'deactivationSlot', data, 4);
  writeU64(lastExtendedSlot, 'lastExtendedSlot', data, 12);
  data[EXTENDED_FROM_OFFSET] = lastExtendedFrom;
  if (authority !== undefined) {
    data[AUTHORITY_TAG_OFFSET] = 1;
    writeAddress(authority, data, AUTHORITY_TAG_OFFSET + 1);
  }
  for (const [index, address] of addresses.entries()) writeAddress(address, data, ADDRESSES_OFFSET + 32 * index);
  return data;
}
