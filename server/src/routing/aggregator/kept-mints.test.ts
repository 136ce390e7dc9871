import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Logger } from 'pino';
import { createLiveAccounts } from '../../chain/index.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import type { Aggregator } from './index.js';
import { FOUND_MINTS } from './mint-scans.js';
import { newAddress, openAggregator, openWorld, silent, type World, WRAPPED_SOL } from './testing.js';

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

  it('attack: open orders for more tokens than there is room for: those of the oldest orders stay, and the log says so once', async (t) => {
    const tokens = [await world.token(), await world.token(), await world.token()];
    for (const token of tokens) await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const mints = { forOrders: 2, forClients: 10 };
    const told: object[] = [];
    const log: Logger = Object.assign(Object.create(silent), { warn: (about: object) => told.push(about) });
    const { aggregator, close } = await openAggregator(world, { byMint: true, mints, log });
    t.after(close);
    const [first, second, third] = tokens.map(({ mint }) => mint) as [Address, Address, Address];
    aggregator.keep([first, second, third]);
    await Promise.all([found(aggregator, first), found(aggregator, second)]);
    await aggregator.discover();
    assert.equal(poolsOf(aggregator, third).length, 0);
    aggregator.keep([first, second, third]);
    assert.deepEqual(told, [{ leftOut: 1, room: 2 }]);
    aggregator.keep([second, third]);
    await found(aggregator, third);
  });

  it('attack: open orders for tokens that have no pool take no room from one that has', async (t) => {
    const token = await world.token();
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world, {
      byMint: true,
      mints: { forOrders: 2, forClients: 10 },
    });
    t.after(close);
    const wanted = [newAddress(), newAddress(), newAddress(), token.mint];
    // As at each tick of the keeper.
    for (let tick = 0; tick < 3; tick++) {
      aggregator.keep(wanted);
      await aggregator.discover();
    }
    assert.deepEqual(poolsOf(aggregator, token.mint), [pool.address]);
  });
});

describe('attack: a stranger on the chain opens limit orders for ever more tokens', { timeout: 300_000 }, () => {
  const quoteFor = (aggregator: Aggregator, mint: Address) =>
    aggregator.quote(
      {
        mode: 'exact-in',
        input: { ...WRAPPED_SOL, mint },
        output: WRAPPED_SOL,
        amount: 1_000n,
        excludeVenues: new Set(),
        forLimitOrder: true,
      },
      AbortSignal.timeout(PATIENCE_MS),
    );

  it('attack: orders for 1,000 tokens take no room from what clients ask for', async (t) => {
    const asked = await world.token();
    const pool = await world.pool(asked, WRAPPED_SOL, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world, { byMint: true });
    t.after(close);
    aggregator.ask(asked.mint, WRAPPED_SOL_MINT);
    await found(aggregator, asked.mint);
    // The keeper looks at all of them again and again.
    for (let i = 0; i < 1_000; i++) await quoteFor(aggregator, newAddress());
    await aggregator.discover();
    assert.deepEqual(poolsOf(aggregator, asked.mint), [pool.address]);
  });

  it('attack: for more than there is room for: the token of another order has its turn', async (t) => {
    const token = await world.token();
    const pool = await world.pool(token, WRAPPED_SOL, [DEEP, DEEP]);
    let now = 0;
    const mints = { forOrders: 2, forClients: 3 };
    const live = createLiveAccounts({ rpc: world.rpc, steadyNow: () => now, log: silent });
    const { aggregator, close } = await openAggregator(world, { byMint: true, mints, live, steadyNow: () => now });
    t.after(close);
    const others = Array.from({ length: 10 }, newAddress);
    const lookAtAll = async () => {
      for (const mint of [...others, token.mint]) await quoteFor(aggregator, mint);
      await aggregator.discover();
    };
    const rounds: number[] = [];
    for (let round = 0; round < 8; round++) {
      await lookAtAll();
      if (poolsOf(aggregator, token.mint).includes(pool.address)) rounds.push(round);
      now += 61_000;
    }
    assert.ok(rounds.length > 0 && rounds.length < 8, `its turns were ${rounds}`);
  });
});

describe('attack: a free key asks for a token with more pools than are watched', { timeout: 300_000 }, () => {
  it('attack: the token of an open order, and that of another client, have their pools all the same', async (t) => {
    const [crowded, ordered, other] = [await world.token(), await world.token(), await world.token()];
    for (let i = 0; i < 12; i++) await world.pool(crowded, WRAPPED_SOL, [DEEP, DEEP]);
    const [orders, others] = [
      await world.pool(ordered, WRAPPED_SOL, [DEEP, DEEP]),
      await world.pool(other, WRAPPED_SOL, [DEEP, DEEP]),
    ];
    const { aggregator, close } = await openAggregator(world, { byMint: true, maxPools: 10 });
    t.after(close);
    aggregator.ask(crowded.mint, WRAPPED_SOL_MINT);
    await found(aggregator, crowded.mint);
    await aggregator.discover();
    assert.equal(poolsOf(aggregator, crowded.mint).length, 10);
    aggregator.ask(other.mint, WRAPPED_SOL_MINT);
    aggregator.keep([ordered.mint]);
    await aggregator.discover();
    assert.deepEqual(poolsOf(aggregator, ordered.mint), [orders.address]);
    assert.deepEqual(poolsOf(aggregator, other.mint), [others.address]);
    assert.equal(poolsOf(aggregator, crowded.mint).length, 8);
  });
});
