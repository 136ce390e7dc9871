import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import type { Pools } from './pools.js';
import { createSpotPrices, poolWords } from './spot.js';
import type { PoolState, Side, Venue } from './venue.js';

const DEEP = 1e12;

/** Of constant product. `onEstimate`: what is called when its depth is worked out. */
function stateOf(mints: readonly [Address, Address], price: number, onEstimate = () => {}): PoolState {
  const reserves: [number, number] = [DEEP, DEEP * price];
  const other = (side: Side) => reserves[side === 0 ? 1 : 0];
  const token = (mint: Address) => ({ mint, tokenProgram: TOKEN_PROGRAM, vault: newAddress() });
  return {
    tokens: [token(mints[0]), token(mints[1])],
    reserves,
    feeShare: 0,
    estimateOut: (from, amount) => (other(from) * amount) / (reserves[from] + amount),
    estimateIn(from, out) {
      onEstimate();
      return out < other(from) ? (reserves[from] * out) / (other(from) - out) : Infinity;
    },
    quote: () => assert.fail('nothing is traded'),
    price: (from) => other(from) / reserves[from],
    swap: () => assert.fail('nothing is built'),
  };
}

it('attack: a free key asks for the prices of a hundred tokens at once, which lead over the same pools: each pool is looked at once for all of them', () => {
  let looks = 0;
  const poolOf = (a: Address, b: Address, price: number): Pool => {
    const state = stateOf([a, b], price);
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

describe('what the pools of a token say', () => {
  const mints = [newAddress(), newAddress()] as const;
  let estimates = 0;
  const open = (count: number) => {
    const states = Array.from({ length: count }, (): PoolState | undefined => stateOf(mints, 2, () => estimates++));
    const venue = { label: 'Unknown' } as Venue;
    const pools = states.map((_, i): Pool => {
      const address = newAddress();
      return { address, venue, mints, accounts: [address], state: () => states[i], refusal: () => undefined };
    });
    const market = createMarket(pools);
    const known = { knownMint: () => ({ tokenProgram: TOKEN_PROGRAM, decimals: 6 }), market: () => market };
    return { states, ask: () => poolWords(known as unknown as Pools, 0, mints[0], [mints[1]]) };
  };

  it('attack: a free key asks ever again for the price of a token of a hundred pools: the depth of each is worked out once, until it changes', () => {
    const { states, ask } = open(100);
    estimates = 0;
    const first = ask();
    const ofAll = estimates;
    assert.ok(ofAll >= 100);
    for (let i = 0; i < 10; i++) assert.ok(ask().every((word, at) => word === first[at]));
    assert.equal(estimates, ofAll);
    states[0] = stateOf(mints, 4, () => estimates++);
    assert.equal(ask()[0]!.price, 4);
    assert.ok(estimates - ofAll <= ofAll / 50, 'one pool of a hundred is looked at again');
  });

  it('is what they say at this moment: one that moves, goes silent or is heard again says so at once', () => {
    const { states, ask } = open(3);
    const [before] = states;
    const said = () => ask().map(({ price, isSilent }) => (isSilent ? 'silent' : price));
    assert.deepEqual(said(), [2, 2, 2]);
    states[0] = stateOf(mints, 4);
    assert.deepEqual(said(), [4, 2, 2]);
    states[0] = undefined;
    assert.deepEqual(said(), ['silent', 2, 2]);
    states[0] = before;
    assert.deepEqual(said(), [2, 2, 2]);
  });
});
