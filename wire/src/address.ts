import { decodeKey, encodeKey } from './base58.js';

/** Canonical base58 of 32 bytes: an account, a program, a mint or a wallet. */
export type Address = string & { readonly __address: unique symbol };

const scratch = new Uint8Array(32);

/** Whether the text is base58 of exactly 32 bytes. Says nothing about the curve. */
export function isAddress(value: string): value is Address {
  return decodeKey(value, scratch);
}

/** The text as an address. Throws RangeError when it is none. */
export function address(value: string): Address {
  if (!isAddress(value))
    throw new RangeError(`not a base58 address of 32 bytes: ${JSON.stringify(value.slice(0, 64))}`);
  return value;
}

/** The 32 bytes of an address, in a fresh array. Throws RangeError when the text is no address. */
export function addressToBytes(value: Address): Uint8Array {
  const bytes = new Uint8Array(32);
  writeAddress(value, bytes, 0);
  return bytes;
}

/** The address of the 32 bytes at `offset`. Throws RangeError when there are fewer. */
export function addressFromBytes(bytes: Uint8Array, offset = 0): Address {
  return encodeKey(bytes, offset) as Address;
}

/** Writes the 32 bytes of an address. Throws RangeError when the text is no address or there is no room. */
export function writeAddress(value: Address, out: Uint8Array, offset: number): void {
  if (!decodeKey(value, out, offset)) address(value);
}
