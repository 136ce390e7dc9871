import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, it } from 'node:test';
import type { Address } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { FREE, type TestPool, tableOf } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const GONE: [bigint, bigint] = [10n, 10n];
/** Of the honest pool: what an order sells has a price impact of about one percent, or of a tenth. */
const HONEST: [bigint, bigint] = [100n * AMOUNT, 100n * AMOUNT];
const SHALLOW: [bigint, bigint] = [10n * AMOUNT, 10n * AMOUNT];
/** Takes the most of a sale that is large enough, at half the price. */
const FAR: [bigint, bigint] = [10_000_000n * AMOUNT, 5_000_000n * AMOUNT];
const tables: Address[] = [];

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let call: Rpc['call'];
let others: TestPool[];
before(async () => {
  world = await openTriggerWorld(tables);
  call = world.world.rpc.call.bind(world.world.rpc);
});
after(() => world?.close());
beforeEach(() => {
  others = [];
});
afterEach(async () => {
  world.world.rpc.call = call;
  await world.store.query('delete from orders');
  for (const { address } of others) await world.world.remove(address);
  await world.aggregator.discover();
});

async function add(reserves: [bigint, bigint], from = world.sold, to = world.bought): Promise<TestPool> {
  const pool = await world.world.pool(from, to, reserves, FREE);
  others.push(pool);
  await world.aggregator.discover();
  return pool;
}

/** Has something happen on the chain before each new transaction that is sent or simulated. */
function onEach(method: 'sendTransaction' | 'simulateTransaction', before: () => Promise<void>): void {
  const seen = new Set<unknown>();
  world.world.rpc.call = async (name: string, params: unknown[]) => {
    if (name === method && !seen.has(params[0])) {
      seen.add(params[0]);
      await before();
    }
    return call(name, params) as never;
  };
}

/** Has a keeper try the order, with `before` ahead of each turn, until something of it is sold. */
async function untilSold(id: string, most: number, before: () => Promise<void>): Promise<void> {
  const keeper = await world.newKeeper();
  for (let turn = 1; turn <= most; turn++) {
    await before();
    await keeper.runDue();
    const { progress } = await world.rowOf(id);
    if (progress.entry.remaining < AMOUNT) return;
    world.clock.setOffset(world.clock.offsetMs + 6 * MINUTE_MS);
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
  }
  assert.fail(`nothing is sold after ${most} turns`);
}

/** Whose slippage is automatic where none is given. */
async function order(terms: { slippageBps?: number } = {}): Promise<string> {
  const expiresAt = world.clock.now() + 24 * 60 * MINUTE_MS;
  return (await world.deposit(world.newClient(), { ...terms, expiresAt })).id;
}

it('attack: somebody who moves pools takes his half of each route away, beside one that is deepest far from the price: the order goes over one pool of the route alone', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  await add(FAR);
  const his = await add(HONEST);
  const id = await order({ slippageBps: 2_000 });
  onEach('sendTransaction', () => on.setReserves(his, GONE));
  await untilSold(id, 8, () => on.setReserves(his, HONEST));
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
});

/** Pools with the liquidity of one, which each transaction that is sent finds moved on to the next. */
async function wandering(count: number, there: [bigint, bigint]): Promise<void> {
  const his: TestPool[] = [];
  while (his.length < count) his.push(await add(his.length === 0 ? there : GONE));
  let at = 0;
  onEach('sendTransaction', async () => {
    await world.world.setReserves(his[at]!, GONE);
    at = (at + 1) % count;
    await world.world.setReserves(his[at]!, there);
  });
}

it('attack: somebody who moves pools has his half wander over many, beside one that is deepest far from the price: which have failed does not matter, and the order is filled', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  await add(FAR);
  await wandering(10, HONEST);
  const id = await order({ slippageBps: 2_000 });
  await untilSold(id, 7, async () => {});
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
});

it('attack: somebody who moves pools has the deepest liquidity of all change between two of his: the order goes over none of the best route', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  await wandering(2, [10n * HONEST[0], 10n * HONEST[1]]);
  const id = await order();
  await untilSold(id, 7, async () => {});
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
});

it('attack: somebody who moves pools takes two away that are each deeper than the honest one: the order goes over neither', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  const his = [await add(GONE), await add(GONE)];
  const fill = async (times: bigint) => {
    for (const [i, each] of his.entries())
      await on.setReserves(each, [times * HONEST[0] + BigInt(i) + 10n, times * HONEST[1] + 10n]);
  };
  const id = await order();
  onEach('sendTransaction', () => fill(0n));
  await untilSold(id, 8, () => fill(1_000n));
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
});

it('attack: somebody who moves pools takes his half of a second step away, beside those that are deepest far from the price: the order goes over one pool of each step', async () => {
  const { pool, sold, bought, world: on } = world;
  await on.setReserves(pool, GONE);
  const between = await on.token();
  const honest = [await add(HONEST, sold, between), await add(HONEST, between, bought)];
  const far = [await add(FAR, sold, between), await add(FAR, between, bought)];
  const his = await add(HONEST, between, bought);
  tables.push(await on.lookupTable(tableOf([...honest, his])), await on.lookupTable(tableOf(far)));
  await world.aggregator.exchangeTables();
  const id = await order({ slippageBps: 2_000 });
  onEach('sendTransaction', () => on.setReserves(his, GONE));
  await untilSold(id, 9, () => on.setReserves(his, HONEST));
  assert.equal(await on.amount(honest[0]!.vaults[0]), HONEST[0] + AMOUNT);
});

it('attack: somebody who moves pools has so much at the very price that automatic slippage is least, and takes it away: the honest pool may have two percent', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  const much: [bigint, bigint] = [1_000_000n * AMOUNT, 1_000_000n * AMOUNT];
  const his = await add(much);
  const id = await order();
  onEach('sendTransaction', () => on.setReserves(his, GONE));
  await untilSold(id, 5, () => on.setReserves(his, much));
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
});

it('attack: somebody who moves pools takes the larger half away where all pools take only a part of an order: a part of it is sold to the others', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, SHALLOW);
  const larger: [bigint, bigint] = [2n * SHALLOW[0], 2n * SHALLOW[1]];
  const his = await add(larger);
  const id = await order({ slippageBps: 200 });
  onEach('sendTransaction', () => on.setReserves(his, GONE));
  await untilSold(id, 7, () => on.setReserves(his, larger));
  const sold = AMOUNT - (await world.rowOf(id)).progress.entry.remaining;
  assert.ok(sold > AMOUNT / 20n);
  assert.equal(await on.amount(pool.vaults[0]), SHALLOW[0] + sold);
});

it('attack: somebody who moves pools moves the honest one before a simulation, beside a worse one of his: the order waits for the honest one', async () => {
  const { pool, world: on } = world;
  await on.setReserves(pool, HONEST);
  // By its price impact, automatic slippage allows for what it gives less.
  const worse: [bigint, bigint] = [24n * AMOUNT, (24n * AMOUNT * 975n) / 1_000n];
  const his = await add(worse);
  const id = await order();
  let turn = 0;
  onEach('simulateTransaction', async () => {
    if (turn < 3) await on.setReserves(pool, [HONEST[0], HONEST[1] / 2n]);
  });
  await untilSold(id, 5, async () => {
    turn += 1;
    await on.setReserves(pool, HONEST);
  });
  assert.equal(turn, 3);
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await on.amount(pool.vaults[0]), HONEST[0] + AMOUNT);
  assert.equal(await on.amount(his.vaults[0]), worse[0]);
});
