import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Aggregator } from './index.js';
import { FOUND_MINTS } from './mint-scans.js';
import { newAddress, openAggregator, openWorld, type World, WRAPPED_SOL } from './testing.js';

const DEEP = 10n ** 12n;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const poolsOf = (aggregator: Aggregator, mint: Address) =>
  aggregator.quotesOf(mint, [WRAPPED_SOL_MINT]).map(({ pool }) => pool);
/** The test's own time limit ends it if there never is one. */
async function found(aggregator: Aggregator, mint: Address): Promise<void> {
  while (poolsOf(aggregator, mint).length === 0) await sleep(5);
}

describe('attack: a free key asks for so many tokens that open orders lose their prices', { timeout: 300_000 }, () => {
  it('attack: 1,000 tokens asked for push none of an open order out, in any order', async (t) => {
    assert.equal(FOUND_MINTS.forClients, 100);
    const [kept, late] = [await world.token(), await world.token()];
    const [pool, latePool] = [
      await world.pool(kept, WRAPPED_SOL, [DEEP, DEEP]),
      await world.pool(late, WRAPPED_SOL, [DEEP, DEEP]),
    ];
    const { aggregator, close } = await openAggregator(world, { byMint: true });
    t.after(close);
    aggregator.keep([kept.mint]);
    await found(aggregator, kept.mint);
    for (let i = 0; i < 1_000; i++) aggregator.ask(newAddress(), WRAPPED_SOL_MINT);
    await aggregator.discover();
    assert.deepEqual(poolsOf(aggregator, kept.mint), [pool.address]);
    // One of an order that is made while clients have filled their table.
    aggregator.keep([kept.mint, late.mint]);
    await found(aggregator, late.mint);
    assert.deepEqual(poolsOf(aggregator, late.mint), [latePool.address]);
    assert.deepEqual(poolsOf(aggregator, kept.mint), [pool.address]);
  });

  it('attack: open orders for more tokens than there is room for: those of the oldest orders stay', async (t) => {
    const tokens = [await world.token(), await world.token(), await world.token()];
    for (const token of tokens) await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const mints = { forOrders: 2, forClients: 10 };
    const { aggregator, close } = await openAggregator(world, { byMint: true, mints });
    t.after(close);
    const [first, second, third] = tokens.map(({ mint }) => mint) as [Address, Address, Address];
    aggregator.keep([first, second, third]);
    await Promise.all([found(aggregator, first), found(aggregator, second)]);
    await aggregator.discover();
    assert.equal(poolsOf(aggregator, third).length, 0);
    aggregator.keep([second, third]);
    await found(aggregator, third);
  });
});
