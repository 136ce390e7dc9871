import { type Address, addressFromBytes, SYSTEM_PROGRAM, WireError } from '@slipway/wire';

/** Reads little-endian fields one after the other. Every read beyond the end throws a RangeError. */
export class ByteReader {
  readonly #view: DataView;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
  }

  get remaining(): number {
    return this.#view.byteLength - this.#offset;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }
  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }
  i16(): number {
    return this.#view.getInt16(this.#advance(2), true);
  }
  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }
  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }
  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }
  f64(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }
  bytes(length: number): Uint8Array {
    const offset = this.#advance(length);
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + offset, length);
  }
  address(): Address {
    return addressFromBytes(this.bytes(32));
  }
  /** An address where 32 zero bytes (the system program's address) say that there is none. */
  addressOrZero(): Address | null {
    const address = this.address();
    return address === SYSTEM_PROGRAM ? null : address;
  }
  /** Text behind its length of `lengthBytes` bytes. */
  text(lengthBytes: 4 | 8): string {
    const length = lengthBytes === 4 ? this.u32() : Number(this.u64());
    return Buffer.from(this.bytes(length)).toString('utf8');
  }

  #advance(length: number): number {
    const offset = this.#offset;
    if (offset + length > this.#view.byteLength) throw new RangeError('the bytes end too early');
    this.#offset = offset + length;
    return offset;
  }
}

/** What `parse` makes of the bytes, or undefined where they are malformed. */
export function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError || error instanceof WireError) return undefined;
    throw error;
  }
}
