import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { fill, newWallet, placeOrder } from '../../areas/trigger-v1/testing.js';
import { ChainUnavailable, RpcError } from '../../chain/index.js';
import { eventually, type IndexWorld, openIndexWorld, SMALL } from './testing.js';

let world: IndexWorld;
before(async () => {
  world = await openIndexWorld();
});
after(() => world.close());
beforeEach(async () => {
  await world.forgetOrders();
  world.deps.index = world.newIndex();
});

type Range = { before?: string; until?: string; limit?: number; minContextSlot?: number };
type Row = { signature: string; slot: number };
const NOT_FOUND = new RpcError(-32020, 'Transaction not found');

/** A node with only some of the program's transactions, newest first, which answers as `unknown` says to the others. */
function nodeWith(pick: (rows: Row[]) => Row[], unknown: 'more' | 'nothing' | 'error', pageOf = 1_000) {
  const asked = { transactions: 0 };
  const node = world.nodeThat(async (method, params) => {
    if (method === 'getTransaction') asked.transactions++;
    const all = async (program: unknown) =>
      pick(await world.rpc.call<Row[]>('getSignaturesForAddress', [program, { limit: 1_000 }]));
    if (method === 'getSignatureStatuses') {
      const known = new Set((await all(world.deps.addresses.program)).map(({ signature }) => signature));
      return { context: { slot: 1 }, value: (params[0] as string[]).map((id) => (known.has(id) ? {} : null)) };
    }
    if (method !== 'getSignaturesForAddress') return undefined;
    const [program, { before, until }] = params as [string, Range];
    const rows = await all(program);
    const at = (signature?: string) => rows.findIndex((row) => row.signature === signature);
    for (const bound of [before, until]) {
      if (!bound || at(bound) >= 0 || (bound === until && unknown === 'more')) continue;
      if (unknown === 'error') throw NOT_FOUND;
      return [];
    }
    return rows.slice(at(before) + 1, until && at(until) >= 0 ? at(until) : undefined).slice(0, pageOf);
  });
  return { ...node, asked };
}

async function cursor() {
  const sql = 'select newest, newest_position as position, complete from limit_order_cursors';
  return (await world.store.query<{ newest: string; position: bigint; complete: boolean }>(sql)).rows[0]!;
}

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

it('a node that does not know the newest transaction yet makes nothing be read again, and moves nothing back', async () => {
  await placeUnheard(30);
  const index = world.newIndex();
  await index.sync();
  await eventually('all is read', world.isComplete);
  const known = await cursor();
  for (const unknown of ['more', 'nothing', 'error'] as const) {
    const behind = nodeWith((rows) => rows.slice(2), unknown);
    await world.newIndex(behind).sync();
    assert.equal(behind.asked.transactions, 0, unknown);
    assert.deepEqual(await cursor(), known, unknown);
  }
  const { placed, maker } = await placeUnheard(2);
  await index.sync();
  assert.deepEqual(
    (await world.rowsOf(maker)).map(({ openTx }) => openTx).sort(),
    placed.map((p) => p.signature).sort(),
  );
});

it('a node that has not seen the slot of the newest transaction is not believed', async () => {
  await placeUnheard(1);
  await world.newIndex().sync();
  const slots: unknown[] = [];
  const index = world.newIndex(
    world.nodeThat((method, params) => {
      if (method !== 'getSignaturesForAddress') return undefined;
      const { until, minContextSlot } = params[1] as Range;
      if (until) slots.push(minContextSlot);
      return undefined;
    }),
  );
  await index.sync();
  const [row] = await world.rpc.call<Row[]>('getSignaturesForAddress', [world.deps.addresses.program, { limit: 1 }]);
  assert.deepEqual(slots, [row!.slot]);
});

it('where another node does not know where the first has ended, nothing is taken, and all of it later', async () => {
  await placeUnheard(1);
  await world.newIndex().sync();
  await eventually('all is read', async () => {
    await world.newIndex().sync();
    return world.isComplete();
  });
  const known = await cursor();
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
  assert.deepEqual(await cursor(), known);
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
    const pruned = nodeWith((rows) => rows.slice(0, 2), unknown);
    const index = world.newIndex(pruned);
    await index.sync();
    await index.sync();
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
    await world.store.query('delete from limit_order_cursors');
    await world.newIndex().sync();
    const row = (await world.rowsOf(maker)).find(({ orderKey }) => orderKey === placed[0]!.order)!;
    assert.deepEqual([row.state, row.closeTx], ['completed', closing.signature]);
  });
}

it('where the node has lost where the old history was left, new orders are read all the same', async () => {
  await placeUnheard(4);
  const stopped = world.newIndex(world.shortPages(3, true));
  await stopped.sync();
  await stopped.close();
  assert.equal((await cursor()).complete, false);
  const { maker, placed } = await placeUnheard(4);
  for (const unknown of ['nothing', 'error'] as const) {
    const index = world.newIndex(nodeWith((rows) => rows.slice(0, 5), unknown));
    await index.sync();
    await index.sync();
    await index.close();
    assert.equal((await cursor()).complete, false, 'what it does not know is no end');
  }
  assert.equal((await world.rowsOf(maker)).length, placed.length);
});
