import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AMOUNT, openTriggerWorld } from './testing.js';

const DEEP = 10n ** 13n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

describe('a fired order whose best pools fail on the chain', () => {
  it('is filled over the others, and waits where none is left', async () => {
    const { sold, bought, pool } = world;
    const better = [await world.world.pool(sold, bought, [DEEP, (DEEP * 102n) / 100n])];
    better.push(await world.world.pool(sold, bought, [DEEP, (DEEP * 103n) / 100n]));
    await world.aggregator.discover();
    // The program needs the mint of a pool's shares, which no quote depends on.
    for (const { poolMint } of better) await world.world.remove(poolMint);
    const keeper = await world.newKeeper();
    const { id } = await world.deposit(world.newClient());
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.equal(await world.world.amount(pool.vaults[0]), DEEP + AMOUNT);
    for (const { vaults } of better) assert.equal(await world.world.amount(vaults[0]), DEEP);

    await world.world.remove(pool.poolMint);
    const waiting = await world.deposit(world.newClient());
    await keeper.runDue();
    const { state, entry } = (await world.rowOf(waiting.id)).progress;
    assert.notEqual(state, 'fill_success');
    assert.equal(entry.remaining, AMOUNT);
  });
});
