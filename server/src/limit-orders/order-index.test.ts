import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import * as fc from 'fast-check';
import { fill, newWallet, openTriggerWorld, placeOrder, type TriggerWorld } from '../areas/trigger-v1/testing.js';
import { ChainUnavailable, type Rpc } from '../chain/index.js';
import { createLimitOrderIndex } from './index.js';

const TABLES = ['limit_orders', 'limit_order_trades', 'limit_order_cursors'];

let world: TriggerWorld;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world.close());

/** Everything that the index knows, but for the numbers that count changes. */
async function contents(): Promise<unknown[]> {
  const rows = TABLES.map(async (table) => {
    const found = await world.store.query<Record<string, unknown>>(`select * from ${table}`);
    return found.rows.map(({ change: _, ...row }) => JSON.stringify(row, (__, value) => String(value))).sort();
  });
  return Promise.all(rows);
}

const refuse = () => Promise.reject(new Error('this index is out of order'));

/** A node that breaks down at one of so many calls. */
function breakingRpc(rpc: Rpc, odds: () => boolean): Rpc {
  return {
    ...rpc,
    call: <T>(method: string, params: unknown[]) =>
      odds() ? Promise.reject(new ChainUnavailable('test')) : rpc.call<T>(method, params),
  };
}

it('two copies that break down at any call end with each thing once, and nothing missing', async () => {
  const [maker, taker] = [await newWallet(world), await newWallet(world)];
  for (let n = 0; n < 30; n++) {
    const { order } = await placeOrder(world, maker, { params: { makingAmount: '6000000', takingAmount: '1000' } });
    if (n % 3 === 0) await fill(world, taker, order, 2_000_000n);
    if (n % 2 === 0) await fill(world, taker, order, n % 3 === 0 ? 4_000_000n : 6_000_000n);
  }
  await createLimitOrderIndex(world.deps).sync();
  const whole = await contents();
  assert.deepEqual(
    whole.map((rows) => (rows as string[]).length),
    [30, 25, 1],
  );

  const breaks = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(breaks, breaks, async (first, second) => {
      for (const table of TABLES) await world.store.query(`delete from ${table}`);
      const copies = [first, second].map((breaking) => {
        let calls = 0;
        // Each breaks down only so many times, so that there is an end.
        const odds = () => calls < breaking.length && breaking[calls++] === true;
        const rpc = breakingRpc(world.rpc, odds);
        return createLimitOrderIndex({ ...world.deps, chain: { ...world.chain, rpc } });
      });
      await Promise.all(
        copies.map(async (copy) => {
          while (
            await copy.sync().then(
              () => false,
              () => true,
            )
          );
        }),
      );
      assert.deepEqual(await contents(), whole);
    }),
    { numRuns: 10 },
  );
});

it('reads nothing on its own before it was asked for orders, and goes on from then', async () => {
  for (const table of TABLES) await world.store.query(`delete from ${table}`);
  const maker = await newWallet(world);
  await placeOrder(world, maker);
  for (const table of TABLES) await world.store.query(`delete from ${table}`);
  const index = createLimitOrderIndex(world.deps);
  const known = async () => (await contents()).map((rows) => (rows as string[]).length);
  await index.keepUp();
  assert.deepEqual(await known(), [0, 0, 0]);
  await index.sync();
  const [orders, trades] = await known();
  world.deps.index = createLimitOrderIndex({ ...world.deps, store: { ...world.store, query: refuse } });
  await placeOrder(world, maker);
  assert.deepEqual(await known(), [orders, trades, 1]);
  await index.keepUp();
  assert.deepEqual(await known(), [orders! + 1, trades, 1]);
  world.deps.index = index;
});
