/** The same bytes as a Buffer, not copied: for its readers and fast comparisons. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 32 bytes as a string to key a map with: much cheaper than base58. */
export function rawKey(bytes: Uint8Array, offset = 0): string {
  return asBuffer(bytes).toString('latin1', offset, offset + 32);
}
