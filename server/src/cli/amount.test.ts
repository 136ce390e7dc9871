import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRawAmount, toSmallestUnit } from './amount.js';
import { UsageError } from './context.js';

test('an amount as people write it becomes the smallest unit', () => {
  assert.equal(toSmallestUnit('1.5', 9), 1_500_000_000n);
  assert.equal(toSmallestUnit('0.000001', 6), 1n);
  assert.equal(toSmallestUnit('1000', 6), 1_000_000_000n);
  assert.equal(toSmallestUnit('007', 0), 7n);
  assert.equal(toSmallestUnit('18446744073709.551615', 6), 2n ** 64n - 1n);
});

test('every amount of a token is read back as written', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
      const digits = amount.toString().padStart(decimals + 1, '0');
      const whole = digits.slice(0, digits.length - decimals);
      const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
      assert.equal(toSmallestUnit(text, decimals), amount);
    }),
  );
});

test('what is no amount of the token is a usage error', () => {
  for (const text of ['', '-1', '+1', '1e3', '1,5', '.5', '5.', '0x10', ' 1', '0', '0.0', '1.0000001', '٣', 'NaN']) {
    assert.throws(() => toSmallestUnit(text, 6), UsageError, JSON.stringify(text));
  }
  assert.throws(() => toSmallestUnit('18446744073709.551616', 6), UsageError);
  for (const text of ['1.5', '0', '-1', '18446744073709551616', '']) {
    assert.throws(() => parseRawAmount(text), UsageError, JSON.stringify(text));
  }
});
