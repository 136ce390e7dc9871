import { type Address, addressFromBytes } from './address.js';
import { WireError } from './wire-error.js';

/** Reads from the front of untrusted bytes. Every method throws WireError instead of reading past the end. */
export class Reader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  u8(what: string): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new WireError(`ends before ${what}`);
    this.#position++;
    return byte;
  }

  /** A compact-u16 in its shortest form, which is the only one that validators accept. */
  compactU16(what: string): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.u8(what);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if ((byte === 0 && shift > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new WireError(`${what} is not a canonical compact-u16`);
  }

  /** A count of items of at least `itemLength` bytes each, all of which must still be there. */
  count(what: string, itemLength: number): number {
    const count = this.compactU16(what);
    if (count * itemLength > this.remaining) throw new WireError(`${what} is ${count}, more than the bytes hold`);
    return count;
  }

  address(what: string): Address {
    if (this.remaining < 32) throw new WireError(`ends before ${what}`);
    const address = addressFromBytes(this.#bytes, this.#position);
    this.#position += 32;
    return address;
  }

  /** A copy of the next bytes. */
  bytes(length: number, what: string): Uint8Array {
    if (this.remaining < length) throw new WireError(`ends before ${what}`);
    const start = this.#position;
    this.#position += length;
    // Not slice: a Buffer's slice shares its memory.
    return new Uint8Array(this.#bytes.subarray(start, this.#position));
  }

  /** As many small numbers as a leading compact-u16 says. */
  u8List(what: string): number[] {
    return Array.from(this.bytes(this.count(`the number of ${what}`, 1), what));
  }
}
