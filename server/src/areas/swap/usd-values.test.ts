import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import type { Hop } from '../../routing/router.js';
import { usdValuesOf } from './usd-values.js';

const [X, M, N, Y] = Array.from({ length: 4 }, () => generateKeypair().address) as [Address, Address, Address, Address];
const hop = (inputMint: Address, inAmount: bigint, outputMint: Address, outAmount: bigint) =>
  ({ inputMint, inAmount, outputMint, outAmount }) as Hop;
/** Prices by the smallest unit. */
const priced = (...prices: [Address, number][]) => {
  const usd = new Map(prices);
  return (mint: Address, amount: bigint) => (usd.has(mint) ? usd.get(mint)! * Number(amount) : undefined);
};
/** X to Y: three quarters over M, a quarter over N. */
const quote = {
  inAmount: 100n,
  outAmount: 1_000n,
  hops: [hop(X, 75n, M, 30n), hop(M, 30n, Y, 750n), hop(X, 25n, N, 50n), hop(N, 50n, Y, 250n)],
};

it('with a price of both sides, each has its own value', () => {
  const values = usdValuesOf(quote, X, Y, priced([X, 2], [Y, 0.19]));
  assert.deepEqual(values, { input: 200, output: 190, hops: [150, 150, 50, 50] });
});

it('the price of any token of the route gives every value', () => {
  const same = { input: 200, output: 200, hops: [150, 150, 50, 50] };
  for (const known of [
    [X, 2],
    [Y, 0.2],
    [M, 5],
    [N, 1],
  ] as [Address, number][]) {
    assert.deepEqual(usdValuesOf(quote, X, Y, priced(known)), same);
  }
});

it('a price two hops from the input is reached from the output', () => {
  const long = { inAmount: 100n, outAmount: 8n, hops: [hop(X, 100n, M, 10n), hop(M, 10n, N, 4n), hop(N, 4n, Y, 8n)] };
  assert.deepEqual(usdValuesOf(long, X, Y, priced([N, 3])), { input: 12, output: 12, hops: [12, 12, 12] });
});

it('without any price there is no value', () => {
  const none = { input: undefined, output: undefined, hops: [undefined, undefined, undefined, undefined] };
  assert.deepEqual(usdValuesOf(quote, X, Y, priced()), none);
});
