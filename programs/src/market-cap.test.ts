import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { marketCap } from './market-cap.js';

it('a market cap is what is written, also where no binary fraction is that', () => {
  assert.equal(marketCap(12_000_000.03, 9), 12_000_000_030_000_000n);
  assert.equal(marketCap(1e21, 6), 10n ** 27n);
  assert.equal(marketCap(1.5e-7, 8), 15n);
  assert.equal(marketCap(1.5e-7, 7), undefined);
  assert.equal(marketCap(-1, 6), undefined);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), fc.integer({ min: 0, max: 2 }), (units, places) => {
      const value = Number(`${units}e-${places}`);
      assert.equal(marketCap(value, 9), BigInt(units) * 10n ** BigInt(9 - places));
    }),
  );
});
