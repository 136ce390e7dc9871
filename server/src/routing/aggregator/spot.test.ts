import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import { createMarket, type Pool } from './market.js';
import type { Pools } from './pools.js';
import { createSpotPrices } from './spot.js';
import type { PoolState, Side, Venue } from './venue.js';

const DEEP = 1e12;

it('attack: a free key asks for the prices of a hundred tokens at once, which lead over the same pools: each pool is looked at once for all of them', () => {
  let looks = 0;
  const poolOf = (a: Address, b: Address, price: number): Pool => {
    const reserves: [number, number] = [DEEP, DEEP * price];
    const other = (side: Side) => reserves[side === 0 ? 1 : 0];
    const token = (mint: Address) => ({ mint, tokenProgram: TOKEN_PROGRAM, vault: newAddress() });
    const state: PoolState = {
      tokens: [token(a), token(b)],
      reserves,
      feeShare: 0,
      estimateOut: (from, amount) => (other(from) * amount) / (reserves[from] + amount),
      estimateIn: (from, out) => (out < other(from) ? (reserves[from] * out) / (other(from) - out) : Infinity),
      quote: () => assert.fail('nothing is traded'),
      price: (from) => other(from) / reserves[from],
      swap: () => assert.fail('nothing is built'),
    };
    const address = newAddress();
    const venue = { label: 'Unknown' } as Venue;
    const look = () => {
      looks += 1;
      return state;
    };
    return { address, venue, mints: [a, b], accounts: [address], state: look, refusal: () => undefined };
  };
  const dollar = newAddress();
  const [tokens, between] = [100, 5].map((count) => Array.from({ length: count }, newAddress));
  const pools = between!.flatMap((middle) => [
    ...[2, 2.01, 2.02].map((price) => poolOf(middle, dollar, price)),
    ...tokens!.map((token) => poolOf(token, middle, 3)),
  ]);
  const market = createMarket(pools);
  const known = {
    knownMint: () => ({ tokenProgram: TOKEN_PROGRAM, decimals: 6 }),
    market: () => market,
    asked: { askIfRoom: () => {} },
  };
  let now = 0;
  const spot = createSpotPrices(known as unknown as Pools, () => now);
  for (const token of tokens!) assert.ok(Math.abs(spot(token, dollar)! / 6 - 1) < 0.02);
  assert.equal(looks, pools.length);
  now = 1_000;
  spot(tokens![0]!, dollar);
  assert.ok(looks > pools.length, 'later, they are looked at again');
});
