/** Solana's "compact-u16": seven bits a byte, lowest first, one to three bytes. */
export const MAX_COMPACT_U16 = 0xffff;

export function compactU16Length(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : 3;
}

/** Writes the value and returns the position after it. */
export function writeCompactU16(value: number, out: Uint8Array, offset: number): number {
  let rest = value;
  let position = offset;
  while (rest >= 0x80) {
    out[position++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[position++] = rest;
  return position;
}
