import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58Encode } from '@slipway/wire';
import fc from 'fast-check';
import { beginningsOf } from './long-base58.js';

const bytes = fc.tuple(
  fc.uint8Array({ minLength: 1, maxLength: 80 }),
  fc.integer({ min: 0, max: 3_000 }),
  fc.constantFrom(0, 1, 128, 255),
  fc.uint8Array({ maxLength: 20 }),
);

test('one of the beginnings of a base58 text is what it begins with, whatever follows', () => {
  fc.assert(
    fc.property(bytes, ([first, count, filler, last]) => {
      const all = Buffer.concat([first, Buffer.alloc(count, filler), last]);
      const beginnings = beginningsOf(base58Encode(all)).map((each) => Buffer.from(each).toString('hex'));
      assert.ok(beginnings.length <= 2);
      assert.ok(beginnings.includes(all.subarray(0, 64).toString('hex')));
    }),
    { numRuns: 300, examples: [[[Uint8Array.of(1, 0, 0), 217, 0, Uint8Array.of(0)]]] },
  );
});

test('a text that is no base58 has none', () => {
  assert.deepEqual(beginningsOf(`0${'2'.repeat(2_000)}`), []);
});
