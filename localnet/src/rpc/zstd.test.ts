import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdStored } from './zstd.js';

/** Reads the frame as RFC 8878 describes it. */
function unstore(frame: Buffer): { size: number; content: Buffer } {
  assert.equal(frame.readUInt32LE(0), 0xfd2fb528, 'magic number');
  const descriptor = frame.readUInt8(4);
  assert.equal(descriptor >> 6, 3, 'content size of 8 bytes');
  assert.equal(descriptor & 0x3f, 0x20, 'single segment, no checksum, no dictionary');
  const blocks: Buffer[] = [];
  let offset = 13;
  for (let last = false; !last; ) {
    const header = frame.readUIntLE(offset, 3);
    last = (header & 1) === 1;
    assert.equal((header >> 1) & 3, 0, 'a raw block');
    assert.ok(header >> 3 <= 128 * 1024, 'at most 128 KiB in a block');
    blocks.push(frame.subarray(offset + 3, offset + 3 + (header >> 3)));
    offset += 3 + (header >> 3);
  }
  assert.equal(offset, frame.length, 'nothing after the last block');
  return { size: Number(frame.readBigUInt64LE(5)), content: Buffer.concat(blocks) };
}

test('a stored frame holds the bytes, also around the size of a block', () => {
  for (const length of [0, 1, 165, 128 * 1024, 128 * 1024 + 1, 300_000]) {
    const bytes = Buffer.alloc(length, 'solana');
    const { size, content } = unstore(zstdStored(bytes));
    assert.equal(size, length);
    assert.ok(content.equals(bytes));
  }
});
