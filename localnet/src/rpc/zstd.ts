const BLOCK_SIZE = 128 * 1024;

/**
 * The bytes as one Zstandard frame of stored, uncompressed blocks (RFC 8878, 3.1.1): any decoder reads it, and Node 20
 * has no encoder of its own.
 */
export function zstdStored(bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32LE(0xfd2fb528, 0);
  header.writeUInt8(0b1110_0000, 4); // an 8-byte content size, single segment, no checksum, no dictionary
  header.writeBigUInt64LE(BigInt(bytes.length), 5);
  const parts: Uint8Array[] = [header];
  let offset = 0;
  do {
    const block = bytes.subarray(offset, offset + BLOCK_SIZE);
    offset += BLOCK_SIZE;
    const last = offset >= bytes.length ? 1 : 0;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE(block.length * 8 + last, 0, 3);
    parts.push(blockHeader, block);
  } while (offset < bytes.length);
  return Buffer.concat(parts);
}
