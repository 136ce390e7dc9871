import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAddressDecoder, getBase58Codec } from '@solana/kit';
import fc from 'fast-check';
import { anyKeyBytes, RUNS } from './arbitraries.js';
import { base58Decode, base58Encode, decodeKey, encodeKey } from './base58.js';

const kitBase58 = getBase58Codec();

test('a key has the text that kit gives it, and comes back from it', () => {
  fc.assert(
    fc.property(anyKeyBytes, fc.nat(3), (bytes, offset) => {
      const padded = new Uint8Array(bytes.length + offset + 2);
      padded.set(bytes, offset);
      const text = encodeKey(padded, offset);
      assert.equal(text, getAddressDecoder().decode(bytes));
      const out = new Uint8Array(32 + offset + 2).fill(7);
      assert.equal(decodeKey(text, out, offset), true);
      assert.deepEqual(out.slice(offset, offset + 32), bytes);
      assert.deepEqual([...out.slice(0, offset), ...out.slice(offset + 32)], new Array(offset + 2).fill(7));
    }),
    { numRuns: 5000 },
  );
});

test('a text is a key exactly when kit decodes it to 32 bytes', () => {
  const digit = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
  const digits = fc.array(digit, { minLength: 30, maxLength: 46 }).map((list) => list.join(''));
  const zerosThenDigits = fc.tuple(fc.nat(33), digits).map(([zeros, tail]) => '1'.repeat(zeros) + tail.slice(zeros));
  fc.assert(
    fc.property(fc.oneof(digits, zerosThenDigits), (text) => {
      assert.equal(decodeKey(text, new Uint8Array(32)), kitBase58.encode(text).length === 32);
    }),
    { numRuns: 5000 },
  );
});

test('the largest key is taken and the number after it is not', () => {
  const largest = encodeKey(new Uint8Array(32).fill(255));
  assert.equal(largest, 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG');
  assert.equal(decodeKey(largest, new Uint8Array(32)), true);
  assert.equal(decodeKey('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH', new Uint8Array(32)), false);
});

test('characters outside the alphabet are refused', () => {
  const valid = 'So11111111111111111111111111111111111111112';
  for (const bad of ['0', 'O', 'I', 'l', ' ', '+', '\n', '\0', 'é', '１', '😀', '\u{131}']) {
    for (const at of [0, 20, 42]) {
      const text = valid.slice(0, at) + bad + valid.slice(at + 1);
      assert.equal(decodeKey(text, new Uint8Array(32)), false, JSON.stringify(text));
      assert.equal(base58Decode(text), undefined, JSON.stringify(text));
    }
  }
});

test('bytes of any length agree with kit, both ways', () => {
  const anyLength = fc
    .tuple(fc.nat(5), fc.uint8Array({ maxLength: 150, size: 'max' }))
    .map(([zeros, tail]) => Uint8Array.from([...new Array(zeros).fill(0), ...tail]));
  fc.assert(
    fc.property(anyLength, (bytes) => {
      const text = base58Encode(bytes);
      assert.equal(text, kitBase58.decode(bytes));
      assert.deepEqual(base58Decode(text), bytes);
    }),
    RUNS,
  );
});

test('runs of the highest digit and the highest byte keep every digit', () => {
  for (let length = 0; length <= 300; length++) {
    const bytes = new Uint8Array(length).fill(255);
    assert.equal(base58Encode(bytes), kitBase58.decode(bytes));
    const text = 'z'.repeat(length);
    assert.deepEqual(base58Decode(text), Uint8Array.from(kitBase58.encode(text)));
  }
});

test('a text too long to be worth the work is refused', () => {
  assert.equal(base58Decode('z'.repeat(6000))?.length, 4394);
  assert.equal(base58Decode('z'.repeat(6001)), undefined);
});

test('a buffer without room for a key is refused and not overrun', () => {
  const text = encodeKey(new Uint8Array(32));
  for (const [length, offset] of [
    [31, 0],
    [32, 1],
    [64, -1],
    [32, Number.NaN],
  ] as const) {
    assert.throws(() => decodeKey(text, new Uint8Array(length), offset), RangeError);
    assert.throws(() => encodeKey(new Uint8Array(length), offset), RangeError);
  }
});
