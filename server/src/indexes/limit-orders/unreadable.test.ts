import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { Registry } from 'prom-client';
import { fill, newWallet, placeOrder } from '../../areas/trigger-v1/testing.js';
import { RpcError } from '../../chain/index.js';
import { type IndexWorld, openIndexWorld, SMALL } from './testing.js';

let world: IndexWorld;
before(async () => {
  world = await openIndexWorld();
});
after(() => world.close());
beforeEach(async () => {
  await world.forgetOrders();
  world.deps.index = world.newIndex();
});

it('goes on past transactions that the node cannot give, counts them, and has them when it can', async () => {
  const [maker, taker] = [await newWallet(world), await newWallet(world)];
  const first = await placeOrder(world, maker, SMALL);
  const lost = await placeOrder(world, maker, SMALL);
  const filled = await fill(world, taker, first.order, 6_000_000n);
  const last = await placeOrder(world, maker, SMALL);
  const answers: [unknown, number][] = [
    [null, 1],
    [{ blockTime: null, meta: null, transaction: ['', 'base64'] }, 1],
    [{ blockTime: 1, meta: { err: null, innerInstructions: [] }, transaction: ['AAAA', 'base64'] }, 1],
    [{ blockTime: 1, meta: { err: null, innerInstructions: null }, transaction: [null, 'base64'] }, 1],
    [new RpcError(-32015, 'Transaction version (1) is not supported by the requesting client'), 1],
  ];
  for (const [answer, unreadCount] of answers) {
    for (const unreadable of [lost.signature, filled.signature]) {
      await world.forgetOrders();
      let isBroken = true;
      const node = world.nodeThat((method, [signature]) => {
        if (!isBroken || method !== 'getTransaction' || signature !== unreadable) return undefined;
        return answer instanceof Error ? Promise.reject(answer) : answer;
      });
      const registry = new Registry();
      let now = 0;
      const index = world.newIndex({ ...node, registry, steadyNow: () => now });
      const unread = async () =>
        (await registry.getSingleMetric('slipway_limit_order_unread_transactions')!.get()).values[0]?.value;
      await index.sync();
      assert.equal(await unread(), unreadCount, JSON.stringify([answer, unreadable === lost.signature]));
      const known = new Map((await world.rowsOf(maker)).map((row) => [row.orderKey, row]));
      assert.equal(known.get(last.order)?.openTx, last.signature, 'what came after it');
      assert.equal(known.get(first.order)?.state, unreadable === filled.signature ? 'closed' : 'completed');
      // Its account tells of an order whose opening cannot be read.
      assert.deepEqual(known.get(lost.order)?.openTx, unreadable === lost.signature ? '' : lost.signature);

      isBroken = false;
      now += 10 * 60_000;
      await index.sync();
      assert.equal(await unread(), 0);
      const whole = await world.contents();
      await world.forgetOrders();
      await world.newIndex().sync();
      const rows = (await world.contents())[0];
      assert.deepEqual(whole[0], rows);
    }
  }
});

it('goes on past a single transaction of a version that it does not know', async () => {
  const maker = await newWallet(world);
  await world.deps.index.sync();
  const own = world.deps.index;
  world.deps.index = { ...own, sync: async () => {} };
  const { order } = await placeOrder(world, maker, SMALL);
  const refusal = new RpcError(-32015, 'Transaction version (1) is not supported by the requesting client');
  const index = world.newIndex(
    world.nodeThat((method) => (method === 'getTransaction' ? Promise.reject(refusal) : undefined)),
  );
  await index.sync();
  assert.equal((await world.counts())[3], 1);
  const [row] = await world.rowsOf(maker);
  assert.deepEqual([row?.orderKey, row?.openTx], [order, '']);
});

it('takes a transaction without a time for as old as the next', async () => {
  const maker = await newWallet(world);
  const { order, signature } = await placeOrder(world, maker, SMALL);
  const next = await placeOrder(world, maker, SMALL);
  const real = (await world.rowsOf(maker)).find(({ orderKey }) => orderKey === next.order)!;
  await world.forgetOrders();
  const node = world.nodeThat(async (method, params) => {
    if (method === 'getTransaction') {
      const answer = await world.rpc.call<object>(method, params);
      return { ...answer, blockTime: null };
    }
    if (method !== 'getSignaturesForAddress') return undefined;
    const rows = await world.rpc.call<{ signature: string }[]>(method, params);
    return rows.map((row) => (row.signature === signature ? { ...row, blockTime: null } : row));
  });
  await world.newIndex(node).sync();
  const row = (await world.rowsOf(maker)).find(({ orderKey }) => orderKey === order)!;
  assert.deepEqual([row.openTx, row.createdAt], [signature, real.createdAt]);
});
