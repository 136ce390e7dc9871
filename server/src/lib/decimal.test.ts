import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { decimalString, roundedUsd } from './decimal.js';

it('an amount in whole units is exact, and as short as it can be', () => {
  const cases: [bigint, number, string][] = [
    [0n, 0, '0'],
    [0n, 9, '0'],
    [1n, 9, '0.000000001'],
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [100n, 0, '100'],
    [-539_280n, 9, '-0.00053928'],
    [2n ** 64n - 1n, 6, '18446744073709.551615'],
  ];
  for (const [amount, decimals, expected] of cases) assert.equal(decimalString(amount, decimals), expected);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 0, max: 255 }), (amount, decimals) => {
      const text = decimalString(amount, decimals);
      assert.match(text, /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
      const [whole, fraction = ''] = text.split('.');
      assert.equal(BigInt(whole + fraction.padEnd(decimals, '0')), amount);
    }),
  );
});

it('a value in USD is answered without the noise of binary fractions', () => {
  const cases: [number, number][] = [
    [0.4200000000000084, 0.42],
    [998.8001999999, 998.8002],
    [1.5e-12, 1.5e-12],
    [123_456_789_012, 123_456_789_000],
    [0, 0],
  ];
  for (const [value, expected] of cases) assert.equal(roundedUsd(value), expected);
});
