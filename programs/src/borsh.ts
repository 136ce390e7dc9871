import { type Address, addressFromBytes, addressToBytes } from '@slipway/wire/formats';

/** One kind of value in Borsh, the form in which on-chain programs keep their data. */
export interface Codec<T> {
  /** Throws a RangeError that names `what` for a value that does not fit. */
  encode(value: T, what: string): Uint8Array;
  /** The value at `at` and where the next one starts; undefined when the bytes are not such a value. */
  decode(bytes: Uint8Array, at: number): { value: T; end: number } | undefined;
}

function integer(size: 1 | 2 | 4): Codec<number> {
  const most = 2 ** (8 * size) - 1;
  return {
    encode(value, what) {
      if (!Number.isInteger(value) || value < 0 || value > most) {
        throw new RangeError(`${what} ${value} is not a whole number from 0 to ${most}`);
      }
      return Uint8Array.from({ length: size }, (_, i) => value >>> (8 * i));
    },
    decode(bytes, at) {
      if (bytes.length < at + size) return undefined;
      let value = 0;
      for (let i = size - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
      return { value, end: at + size };
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

export const u8 = integer(1);
export const u16 = integer(2);
export const u32 = integer(4);
export const u64 = bigInteger('an unsigned', (value) => BigInt.asUintN(64, value) === value, false);
export const i64 = bigInteger('a signed', (value) => BigInt.asIntN(64, value) === value, true);

/** Two 64-bit halves, the lower one first. */
export const u128: Codec<bigint> = {
  encode(value, what) {
    if (BigInt.asUintN(128, value) !== value) {
      throw new RangeError(`${what} ${value} is not an unsigned 128-bit number`);
    }
    return concatBytes(u64.encode(BigInt.asUintN(64, value), what), u64.encode(value >> 64n, what));
  },
  decode(bytes, at) {
    const low = u64.decode(bytes, at);
    const high = u64.decode(bytes, at + 8);
    return high && low && { value: low.value | (high.value << 64n), end: high.end };
  },
};

/** UTF-8 behind its length in bytes. */
export const text: Codec<string> = {
  encode(value, what) {
    const bytes = new TextEncoder().encode(value);
    return concatBytes(u32.encode(bytes.length, what), bytes);
  },
  decode(bytes, at) {
    const length = u32.decode(bytes, at);
    if (!length || bytes.length < length.end + length.value) return undefined;
    const end = length.end + length.value;
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      return { value: decoder.decode(bytes.subarray(length.end, end)), end };
    } catch {
      return undefined;
    }
  },
};

/** Values one after the other, behind their number. */
export function list<T>(codec: Codec<T>): Codec<T[]> {
  return {
    encode: (values, what) =>
      concatBytes(u32.encode(values.length, what), ...values.map((value) => codec.encode(value, what))),
    decode(bytes, at) {
      const length = u32.decode(bytes, at);
      if (!length) return undefined;
      const values: T[] = [];
      let { end } = length;
      while (values.length < length.value) {
        const item = codec.decode(bytes, end);
        if (!item) return undefined;
        values.push(item.value);
        end = item.end;
      }
      return { value: values, end };
    },
  };
}

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

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
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
