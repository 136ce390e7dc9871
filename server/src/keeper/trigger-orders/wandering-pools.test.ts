import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { Rpc } from '../../chain/index.js';
import { FREE, type TestPool } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const DEEP = 10n ** 13n;
const THERE: [bigint, bigint] = [10n ** 9n, (10n ** 9n * 103n) / 100n];
const GONE: [bigint, bigint] = [10n, 10n];
const STOP = { triggerCondition: 'below', triggerPriceUsd: 1.1, slippageBps: 2_000 } as const;
const MINUTE_MS = 60_000;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let pools: TestPool[];
beforeEach(async () => {
  world = await openTriggerWorld();
  pools = [];
});
afterEach(() => world?.close());

/** Pools whose one liquidity is moved on by each call of what this returns. */
async function wandering(count: number, there = THERE, gone = GONE): Promise<() => Promise<void>> {
  const { sold, bought } = world;
  for (let i = 0; i < count; i++) pools.push(await world.world.pool(sold, bought, i === 0 ? there : gone, FREE));
  await world.aggregator.discover();
  let at = 0;
  return async () => {
    await world.world.setReserves(pools[at]!, gone);
    at = (at + 1) % count;
    await world.world.setReserves(pools[at]!, there);
  };
}

/** A keeper before each of whose transactions something happens on the chain. */
async function keeperAfter(before: () => Promise<void>) {
  const sent = new Set<unknown>();
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction' && !sent.has(params[0])) {
        sent.add(params[0]);
        await before();
      }
      return world.world.rpc.call<T>(method, params);
    },
  };
  return world.newKeeper({ landing: world.newLanding([rpc]) });
}

function pass(ms: number): void {
  world.clock.setOffset(world.clock.offsetMs + ms);
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
}

const progressOf = async (id: string) => (await world.rowOf(id)).progress;

it('attack: somebody who moves pools has one liquidity wander from each of his to the next, so that fills fail: each stop goes over the deepest pool at its third try', async () => {
  const move = await wandering(12);
  const keeper = await keeperAfter(move);
  const client = world.newClient();
  const ids = [(await world.deposit(client, STOP)).id, (await world.deposit(client, STOP)).id];
  for (let turn = 0; turn < 3; turn++) {
    await keeper.runDue();
    pass(6 * MINUTE_MS);
  }
  for (const id of ids) assert.equal((await progressOf(id)).state, 'fill_success');
  assert.equal(await world.world.amount(world.pool.vaults[0]), DEEP + 2n * AMOUNT);
});

it('attack: somebody who moves pools has the deepest fail once, and a worse one of his own beside it: the next fill goes over the deepest again', async () => {
  const { pool, sold, bought } = world;
  const his = await world.world.pool(sold, bought, [20n * AMOUNT, (20n * AMOUNT * 99n) / 100n], FREE);
  await world.aggregator.discover();
  let moves = 0;
  const keeper = await keeperAfter(async () => {
    moves += 1;
    if (moves === 1) await world.world.setReserves(pool, [DEEP, (DEEP * 7n) / 10n]);
  });
  const { id } = await world.deposit(world.newClient(), STOP);
  await keeper.runDue();
  assert.equal((await progressOf(id)).failures, 1);
  await world.world.setReserves(pool, [DEEP, DEEP]);
  for (let turn = 0; turn < 3 && (await progressOf(id)).state !== 'fill_success'; turn++) {
    pass(6 * MINUTE_MS);
    await keeper.runDue();
  }
  assert.equal(await world.world.amount(pool.vaults[0]), DEEP + AMOUNT);
  assert.equal(await world.world.amount(his.vaults[0]), 20n * AMOUNT);
});

it('attack: somebody who moves pools moves the only one before each fill: ever longer rests, and no end', async () => {
  const { pool } = world;
  const keeper = await keeperAfter(() => world.world.setReserves(pool, [DEEP, DEEP / 2n]));
  const expiresAt = world.clock.now() + 24 * 60 * MINUTE_MS;
  const { id } = await world.deposit(world.newClient(), { ...STOP, expiresAt });
  const rests: number[] = [];
  while (rests.length < 15) {
    await keeper.runDue();
    await world.world.setReserves(pool, [DEEP, DEEP]);
    const { retryAt, progress } = await world.rowOf(id);
    assert.equal(progress.state, 'open');
    const restMs = retryAt!.getTime() - world.clock.now();
    rests.push(Math.ceil(restMs / MINUTE_MS));
    pass(restMs + 1_000);
  }
  assert.deepEqual(rests.slice(-7), [5, 5, 10, 20, 40, 60, 60]);
});

it('attack: a node drops what it is sent, so that fills expire: however many, the stop is filled once one takes it', {
  timeout: 120_000,
}, async () => {
  const { rpc } = world.world;
  let isDropping = true;
  const dropping: Rpc = {
    ...rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction' && isDropping) return '1'.repeat(64) as T;
      return rpc.call<T>(method, params);
    },
  };
  const keeper = await world.newKeeper({ landing: world.newLanding([dropping]) });
  const expiresAt = world.clock.now() + 24 * 60 * MINUTE_MS;
  const { id } = await world.deposit(world.newClient(), { ...STOP, expiresAt });
  // As after ten that have expired.
  await world.store.query(`update orders set failures = 10, fired = 'entry' where id = $1`, [id]);
  const turn = async () => {
    let isOver = false;
    const due = keeper.runDue().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if ((await progressOf(id)).state === 'executing') await rpc.call('localnet_advanceClock', [60]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await due;
    return world.rowOf(id);
  };
  let row = await turn();
  // A turn of a busy machine may send nothing.
  for (; row.progress.failures < 11; row = await turn()) pass(6 * MINUTE_MS);
  assert.equal(row.progress.state, 'open');
  const restMs = row.retryAt!.getTime() - world.clock.now();
  assert.ok(restMs <= 5 * MINUTE_MS, `a rest of ${restMs} ms`);
  isDropping = false;
  for (; row.progress.state !== 'fill_success'; row = await turn()) {
    assert.equal(row.progress.state, 'open');
    pass(6 * MINUTE_MS);
  }
});
