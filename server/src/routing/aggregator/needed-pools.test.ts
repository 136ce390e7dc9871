import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Address } from '@slipway/wire';
import { neededPools } from './needed-pools.js';
import { newAddress } from './testing.js';
import type { PoolState } from './venue.js';

const [sol, usdc] = ['So11111111111111111111111111111111111111112' as Address, newAddress()];
const hubs = new Set([sol, usdc]);

function pool(a: Address, b: Address, depth: number) {
  const tokens = [{ mint: a }, { mint: b }];
  const state = { tokens, reserves: [depth, depth] } as unknown as PoolState;
  return { mints: [a, b] as const, depth, lastState: () => (depth > 0 ? state : undefined) };
}

describe('the pools that open orders need', () => {
  it('are those of their tokens with each other and with hubs, and those between hubs, as far as they are open', () => {
    const [kept, other] = [newAddress(), newAddress()];
    const needed = [pool(sol, usdc, 5), pool(sol, kept, 5), pool(kept, usdc, 5)];
    const rest = [pool(sol, other, 5), pool(kept, other, 5), pool(sol, kept, 0)];
    const found = neededPools([...rest, ...needed], { mints: [sol, kept], hubs, most: 10 });
    assert.deepEqual(new Set(found), new Set(needed));
  });

  it('attack: a stranger on the chain makes many pools of his own: the token of another order keeps its deepest', () => {
    const [mine, others] = [newAddress(), newAddress()];
    const own = [pool(sol, mine, 1), pool(sol, mine, 9), pool(sol, mine, 2)];
    const many = Array.from({ length: 1_000 }, () => pool(sol, others, 1_000));
    const found = neededPools([...many, ...own], { mints: [others, mine], hubs, most: 4 });
    assert.equal(found.length, 4);
    assert.deepEqual(
      found.flatMap((each) => (own.includes(each) ? [each.depth] : [])),
      [9, 2],
    );
    const tokens = Array.from({ length: 1_000 }, newAddress);
    const ofAll = neededPools([...tokens.map((mint) => pool(sol, mint, 1_000)), ...own], {
      mints: [mine, ...tokens],
      hubs,
      most: 5,
    });
    assert.ok(ofAll.some(({ depth }) => depth === 9));
  });
});
