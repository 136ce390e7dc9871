import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { LIMIT_ORDER_PROGRAM } from '@slipway/programs';
import { fill, newWallet, placeOrder, signed } from '../../areas/trigger-v1/testing.js';
import { ChainUnavailable, createChain } from '../../chain/index.js';
import { eventually, nodeThat, nodeWith, type Range } from '../testing/nodes.js';
import { type IndexWorld, openIndexWorld, SMALL } from './testing.js';

const program = LIMIT_ORDER_PROGRAM;
let world: IndexWorld;
before(async () => {
  world = await openIndexWorld();
});
after(() => world.close());
beforeEach(async () => {
  await world.forgetOrders();
  world.deps.index = world.newIndex();
});

/** Places orders of which the index hears nothing. */
async function placeUnheard(count: number) {
  const own = world.deps.index;
  world.deps.index = { ...own, sync: async () => {} };
  const maker = await newWallet(world);
  const placed = [];
  for (let n = 0; n < count; n++) placed.push(await placeOrder(world, maker, SMALL));
  world.deps.index = own;
  return { maker, placed };
}

it('where another node does not know where the first has ended, nothing is taken, and all of it later', async () => {
  await placeUnheard(1);
  await world.newIndex().sync();
  await eventually('all is read', async () => {
    await world.newIndex().sync();
    return world.isComplete();
  });
  const { maker, placed } = await placeUnheard(6);
  const taker = await newWallet(world);
  await fill(world, taker, placed[0]!.order, 6_000_000n);
  const newest = world.nodeThat((method, params) => {
    if (method === 'getSignatureStatuses') return { context: { slot: 1 }, value: [null] };
    if (method !== 'getSignaturesForAddress') return undefined;
    const [program, range] = params as [string, Range];
    return range.before ? [] : world.rpc.call(method, [program, { ...range, limit: 4 }]);
  });
  await assert.rejects(world.newIndex(newest).sync(), ChainUnavailable);
  await world.newIndex().sync();
  const rows = new Map((await world.rowsOf(maker)).map((row) => [row.orderKey, row]));
  for (const [n, { order, signature }] of placed.entries())
    assert.deepEqual([rows.get(order)?.openTx, rows.get(order)?.state], [signature, n === 0 ? 'completed' : 'open']);
});

for (const unknown of ['more', 'error'] as const) {
  it(`goes on after a gap where the node gives ${unknown}, and opens and closes by the accounts what was in it`, async () => {
    const { maker, placed } = await placeUnheard(3);
    await world.newIndex().sync();
    await eventually('all is read', async () => {
      await world.newIndex().sync();
      return world.isComplete();
    });
    const { maker: later, placed: missed } = await placeUnheard(3);
    const closing = await fill(world, await newWallet(world), placed[0]!.order, 6_000_000n);
    await world.rpc.call('localnet_advanceClock', [1]);
    const { maker: last, placed: kept } = await placeUnheard(2);
    const pruned = nodeWith({ ...world, program }, (rows) => rows.slice(0, 2), unknown);
    let now = 0;
    const index = world.newIndex({ ...pruned, steadyNow: () => now });
    for (; now <= 60_000; now += 60_000) await index.sync();
    const states = async (of: typeof maker) =>
      new Map((await world.rowsOf(of)).map(({ orderKey, state, openTx }) => [orderKey, [state, openTx]]));
    const old = await states(maker);
    assert.deepEqual(old.get(placed[0]!.order)?.[0], 'closed', 'nobody knows yet how');
    assert.deepEqual(old.get(placed[1]!.order), ['open', placed[1]!.signature]);
    assert.deepEqual(
      [...(await states(later)).values()],
      missed.map(() => ['open', '']),
    );
    for (const { order, signature } of kept) assert.deepEqual((await states(last)).get(order), ['open', signature]);
    const { body } = await world.orders({ user: maker.address, orderStatus: 'history' });
    assert.deepEqual(
      body.orders.map(({ orderKey, status, closeTx }) => [orderKey, status, closeTx]),
      [[placed[0]!.order, 'Closed', '']],
    );
    // A node that has the history tells a new database all of it.
    await world.store.query('delete from index_cursors');
    await world.newIndex().sync();
    const row = (await world.rowsOf(maker)).find(({ orderKey }) => orderKey === placed[0]!.order)!;
    assert.deepEqual([row.state, row.closeTx], ['completed', closing.signature]);
  });
}

it('looks for what is gone also where a run that has met a gap breaks off', async () => {
  const { maker, placed } = await placeUnheard(1);
  await world.newIndex().sync();
  let isBroken = false;
  let asked = 0;
  const pruned = nodeWith({ ...world, program }, (rows) => (isBroken ? rows.slice(0, 30) : rows), 'more');
  const node = nodeThat({ rpc: pruned.chain.rpc, chain: world.chain }, (method) =>
    isBroken && method === 'getTransaction' && ++asked > 25 ? Promise.reject(new ChainUnavailable('test')) : undefined,
  );
  let now = 0;
  const index = world.newIndex({ ...node, steadyNow: () => now });
  await eventually('all is read', async () => {
    await index.sync();
    return world.isComplete();
  });
  await fill(world, await newWallet(world), placed[0]!.order, 6_000_000n);
  await world.rpc.call('localnet_advanceClock', [1]);
  await placeUnheard(30);
  isBroken = true;
  await index.sync();
  now += 60_000;
  await assert.rejects(index.sync(), ChainUnavailable);
  isBroken = false;
  await index.sync();
  assert.deepEqual(
    (await world.rowsOf(maker)).map(({ state }) => state),
    ['closed'],
  );
});

describe('attack: a node tells of an open order in a slot that never comes, and says so by another call, too: it is cancelled all the same', () => {
  const cancelled = async (also: string, restS: number) => {
    const { maker, placed } = await placeUnheard(1);
    const lies = new Set<string>(['getProgramAccounts', also]);
    const lying = world.nodeThat(async (method, params) => {
      // Its history is not known yet.
      if (method === 'getSignaturesForAddress') return [];
      if (!lies.delete(method)) return undefined;
      const slot = 9_000_000_000_000_000;
      const answer = await world.rpc.call<object>(method, params);
      return method === 'getSlot' ? slot : { ...answer, context: { slot } };
    });
    const { rpc } = lying.chain;
    const chain = createChain({ rpc, steadyNow: () => 0, fees: { percentile: 50, maxMicroLamports: 0n } });
    await chain.latestBlockhash();
    await world.newIndex({ chain }).sync();
    assert.equal(lies.size, 0);
    assert.equal((await world.rowsOf(maker))[0]?.state, 'open');
    await world.rpc.call('localnet_advanceClock', [restS]);
    world.chain.forget();
    const { body } = await world.post('cancelOrder', { maker: maker.address, order: placed[0]!.order });
    await world.rpc.call('sendTransaction', [signed(body.transaction, maker), { encoding: 'base64' }]);
    await world.newIndex().sync();
    assert.deepEqual(
      (await world.rowsOf(maker)).map(({ state }) => state),
      ['cancelled'],
    );
  };

  it('with the first blockhash', () => cancelled('getLatestBlockhash', 1));
  it('as the slot of now: a minute later', () => cancelled('getSlot', 60));
});
