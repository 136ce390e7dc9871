import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddress as kitIsAddress } from '@solana/kit';
import fc from 'fast-check';
import { address, addressFromBytes, addressToBytes, isAddress } from './address.js';
import { anyKeyBytes, RUNS } from './arbitraries.js';

test('an address and its bytes lead to each other', () => {
  fc.assert(
    fc.property(anyKeyBytes, (bytes) => {
      const value = addressFromBytes(bytes);
      assert.ok(kitIsAddress(value));
      assert.equal(address(value), value);
      assert.deepEqual(addressToBytes(value), bytes);
    }),
    RUNS,
  );
});

test('the bytes of an address are the caller’s own', () => {
  const value = address('So11111111111111111111111111111111111111112');
  addressToBytes(value).fill(0);
  assert.equal(addressFromBytes(addressToBytes(value)), value);
});

test('what is no address is refused with the text in the message', () => {
  for (const text of ['', '1', '1'.repeat(31), '1'.repeat(33), 'hello', `So1${'1'.repeat(50)}`, 'é'.repeat(40)]) {
    assert.equal(isAddress(text), false, text);
    assert.throws(() => address(text), { name: 'RangeError', message: /not a base58 address of 32 bytes/ });
  }
});

test('a huge text is refused with a short message', () => {
  assert.throws(
    () => address('x'.repeat(1_000_000)),
    (error: Error) => error.message.length < 200,
  );
});
