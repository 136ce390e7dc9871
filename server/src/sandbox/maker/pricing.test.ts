import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import fc from 'fast-check';
import { createQuotedPrices, inputFor, outputFor } from './pricing.js';

const priced = fc.record({ usd: fc.double({ min: 1e-9, max: 1e9, noNaN: true }), decimals: fc.nat(12) });
const amounts = fc.bigInt(1n, 2n ** 64n - 1n);
const spreads = fc.nat(500);

test('what is asked for an output is the least that gives it', () => {
  fc.assert(
    fc.property(amounts, priced, priced, spreads, (amount, input, output, spread) => {
      const needed = inputFor(amount, input, output, spread);
      assert.ok(outputFor(needed, input, output, spread) >= amount);
      assert.ok(outputFor(needed - 1n, input, output, spread) < amount);
    }),
  );
});

test('whoever trades there and back has not gained', () => {
  fc.assert(
    fc.property(amounts, priced, priced, spreads, (amount, input, output, spread) => {
      const there = outputFor(amount, input, output, spread);
      assert.ok(outputFor(there, output, input, spread) <= amount);
    }),
  );
});

test('the amounts are those of the prices, to the unit', () => {
  const [sol, usdc] = [
    { usd: 150, decimals: 9 },
    { usd: 1, decimals: 6 },
  ];
  assert.equal(outputFor(1_000_000_000n, sol, usdc, 10), 149_850_000n);
  assert.equal(outputFor(1n, sol, usdc, 10), 0n);
  assert.equal(outputFor(1_000_000n, usdc, { usd: 0.42, decimals: 6 }, 0), 2_380_952n);
  assert.equal(outputFor(2n ** 64n - 1n, usdc, { usd: 0.1, decimals: 6 }, 0), (2n ** 64n - 1n) * 10n);
});

test('a price that was set holds until the source has said it, and not longer', () => {
  const mint = generateKeypair().address;
  let known: number | undefined = 1;
  const prices = createQuotedPrices(() => known);
  prices.quoteAt(mint, 2);
  assert.equal(prices.usd(mint), 2);
  known = 2;
  assert.equal(prices.usd(mint), 2);
  known = 3;
  assert.equal(prices.usd(mint), 3);
});
