import { type Address, addressFromBytes, addressToBytes } from '@slipway/wire';

/** One kind of value in Borsh, the form in which on-chain programs keep their data. */
export interface Codec<T> {
  /** Throws a RangeError that names `what` for a value that does not fit. */
  encode(value: T, what: string): Uint8Array;
  /** The value at `at` and where the next one starts; undefined when the bytes are not such a value. */
  decode(bytes: Uint8Array, at: number): { value: T; end: number } | undefined;
}

function integer(size: 1 | 2, least: number, most: number): Codec<number> {
  return {
    encode(value, what) {
      if (!Number.isInteger(value) || value < least || value > most) {
        throw new RangeError(`${what} ${value} is not a whole number from ${least} to ${most}`);
      }
      return Uint8Array.of(value & 0xff, value >> 8).subarray(0, size);
    },
    decode(bytes, at) {
      if (bytes.length < at + size) return undefined;
      return { value: bytes[at]! | (size === 2 ? bytes[at + 1]! << 8 : 0), end: at + size };
    },
  };
}

function bigInteger(name: string, fits: (value: bigint) => boolean, signed: boolean): Codec<bigint> {
  return {
    encode(value, what) {
      if (!fits(value)) throw new RangeError(`${what} ${value} is not ${name} 64-bit number`);
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setBigInt64(0, value, true);
      return bytes;
    },
    decode(bytes, at) {
      if (bytes.length < at + 8) return undefined;
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
      return { value: signed ? view.getBigInt64(0, true) : view.getBigUint64(0, true), end: at + 8 };
    },
  };
}

export const u8 = integer(1, 0, 0xff);
export const u16 = integer(2, 0, 0xffff);
export const u64 = bigInteger('an unsigned', (value) => BigInt.asUintN(64, value) === value, false);
export const i64 = bigInteger('a signed', (value) => BigInt.asIntN(64, value) === value, true);

export const key: Codec<Address> = {
  encode: (value) => addressToBytes(value),
  decode: (bytes, at) => (bytes.length < at + 32 ? undefined : { value: addressFromBytes(bytes, at), end: at + 32 }),
};

/** A value that may be absent. */
export function option<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    encode: (value, what) =>
      value === undefined ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), codec.encode(value, what)),
    decode(bytes, at) {
      if (bytes[at] === 0) return { value: undefined, end: at + 1 };
      return bytes[at] === 1 ? codec.decode(bytes, at + 1) : undefined;
    },
  };
}

/** The fields one after the other. */
export function struct<T extends object>(fields: { [Name in keyof T]-?: Codec<T[Name]> }): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    encode: (value) => concatBytes(...names.map((name) => fields[name].encode(value[name], name))),
    decode(bytes, start) {
      const value: Partial<T> = {};
      let at = start;
      for (const name of names) {
        const field = fields[name].decode(bytes, at);
        if (!field) return undefined;
        value[name] = field.value;
        at = field.end;
      }
      return { value: value as T, end: at };
    },
  };
}

/** The parts one after the other. */
export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Eight bytes, written as 16 hexadecimal digits, that tell what follows them. */
export function discriminator(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

/** The values after a discriminator, and what is left behind them; undefined when the bytes are something else. */
export function decodeAfter<T>(start: Uint8Array, codec: Codec<T>, bytes: Uint8Array): T | undefined {
  if (start.some((byte, i) => bytes[i] !== byte)) return undefined;
  return codec.decode(bytes, start.length)?.value;
}
