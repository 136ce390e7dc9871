const MAX_U64 = 2n ** 64n - 1n;

/** Writes a little-endian u64. Throws RangeError, with the name of the value, when it is none. */
export function writeU64(value: bigint, what: string, out: Uint8Array, offset: number): void {
  if (value < 0n || value > MAX_U64) throw new RangeError(`${what} is not an unsigned 64-bit number: ${value}`);
  viewOf(out).setBigUint64(offset, value, true);
}

/** Writes a little-endian u32. Throws RangeError, with the name of the value, when it is none. */
export function writeU32(value: number, what: string, out: Uint8Array, offset: number): void {
  if (value >>> 0 !== value) throw new RangeError(`${what} is not an unsigned 32-bit number: ${value}`);
  viewOf(out).setUint32(offset, value, true);
}

/** Throws RangeError, with the name of the value, when it is no whole number of one byte. */
export function requireU8(value: number, what: string): number {
  if ((value & 0xff) !== value) throw new RangeError(`${what} is not an unsigned 8-bit number: ${value}`);
  return value;
}

export function readU64(bytes: Uint8Array, offset: number): bigint {
  return viewOf(bytes).getBigUint64(offset, true);
}

export function readU32(bytes: Uint8Array, offset: number): number {
  return viewOf(bytes).getUint32(offset, true);
}

export function readU16(bytes: Uint8Array, offset: number): number {
  return viewOf(bytes).getUint16(offset, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
