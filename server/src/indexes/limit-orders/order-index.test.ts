import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { cancelOrder, initializeOrder, LIMIT_ORDER_PROGRAM } from '@slipway/programs';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@slipway/wire';
import * as fc from 'fast-check';
import { fill, JUP, newWallet, openOrder, placeOrder, send, USDC } from '../../areas/trigger-v1/testing.js';
import { ChainUnavailable } from '../../chain/index.js';
import { eventually } from '../testing/nodes.js';
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

it('two copies that break down at any call end with each thing once, and nothing missing', async () => {
  const [maker, taker] = [await newWallet(world), await newWallet(world)];
  for (let n = 0; n < 20; n++) {
    const { order } = await placeOrder(world, maker, SMALL);
    if (n % 3 === 0) await fill(world, taker, order, 2_000_000n);
    if (n % 2 === 0) await fill(world, taker, order, n % 3 === 0 ? 4_000_000n : 6_000_000n);
  }
  await world.forgetOrders();
  await world.newIndex().sync();
  await eventually('the history is read to its end', world.isComplete);
  const whole = await world.contents();
  assert.deepEqual(
    whole.map((rows) => rows.length),
    [20, 37, 1, 0],
  );

  const breaks = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(breaks, breaks, async (first, second) => {
      await world.forgetOrders();
      const copies = [first, second].map((breaking) => {
        let calls = 0;
        // Each breaks down only so many times, so that there is an end.
        const breaksNow = () => calls < breaking.length && breaking[calls++] === true;
        return world.newIndex(
          world.nodeThat(() => (breaksNow() ? Promise.reject(new ChainUnavailable('test')) : undefined)),
        );
      });
      await eventually('the history is read to its end', async () => {
        // A copy whose turn was taken by the other breaks down later, so that every turn must bear it.
        await Promise.all(copies.map(syncUntilWell));
        return world.isComplete();
      });
      await Promise.all(copies.map((copy) => copy.close()));
      assert.deepEqual(await world.contents(), whole);
    }),
    { numRuns: 4 },
  );
});

/** Syncs until it does not break down. */
async function syncUntilWell(copy: { sync(): Promise<unknown> }): Promise<void> {
  for (;;) {
    try {
      await copy.sync();
      return;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
  }
}

it('reads nothing on its own before it was asked for orders, and goes on from then', async () => {
  const maker = await newWallet(world);
  await placeOrder(world, maker);
  await world.forgetOrders();
  const index = world.newIndex();
  await index.keepUp();
  assert.deepEqual(await world.counts(), [0, 0, 0, 0]);
  await index.sync();
  const [orders] = await world.counts();
  const own = world.deps.index;
  world.deps.index = { ...own, sync: async () => {} };
  await placeOrder(world, maker);
  world.deps.index = own;
  assert.equal((await world.counts())[0], orders);
  await index.keepUp();
  assert.equal((await world.counts())[0], orders! + 1);
});

it('does not open an order again that was filled after the slot of the list of accounts', async () => {
  const [maker, taker] = [await newWallet(world), await newWallet(world)];
  const { order, signature } = await placeOrder(world, maker, SMALL);
  const part = await placeOrder(world, maker, SMALL);
  await fill(world, taker, part.order, 1_000_000n);
  const params = [LIMIT_ORDER_PROGRAM, { encoding: 'base64', commitment: 'confirmed', withContext: true }];
  const then = await world.rpc.call('getProgramAccounts', params);
  await fill(world, taker, order, 6_000_000n);
  await fill(world, taker, part.order, 3_000_000n);
  await world.forgetOrders();
  // What is behind may also be what tells of the history: then an order is first known from its account.
  const late = world.nodeThat((method) => (method === 'getProgramAccounts' ? then : undefined));
  const lateHistory = world.nodeThat((method) =>
    method === 'getProgramAccounts' ? then : method === 'getSignaturesForAddress' ? [] : undefined,
  );
  for (const nodes of [[late], [lateHistory, late], [lateHistory, {}]]) {
    await world.forgetOrders();
    for (const node of nodes) await world.newIndex(node).sync();
    const rows = await world.rowsOf(maker);
    const states = rows.map(({ orderKey, openTx, state, remainingMakingAmount, trades }) => [
      ...[orderKey, openTx, state, remainingMakingAmount, trades.length],
    ]);
    assert.deepEqual(
      states.sort(),
      [
        [order, signature, 'completed', 0n, 1],
        [part.order, part.signature, 'open', 2_000_000n, 2],
      ].sort(),
    );
  }
});

it('reads old history on in the background, a page at a time, and goes on after a stop', async () => {
  const [maker, taker] = [await newWallet(world), await newWallet(world)];
  const old = await placeOrder(world, maker, SMALL);
  await fill(world, taker, old.order, 1_200_000n);
  const gone = await placeOrder(world, maker, SMALL);
  await fill(world, taker, gone.order, 6_000_000n);
  for (const amount of [900_000n, 1_000_000n, 1_100_000n]) await fill(world, taker, old.order, amount);
  await world.forgetOrders();
  await world.newIndex().sync();
  const whole = await world.contents();
  const rows = await world.rowsOf(maker);
  assert.deepEqual(rows.map(({ trades }) => trades.length).sort(), [1, 4]);

  await world.forgetOrders();
  const stopped = world.newIndex(world.shortPages(2, true));
  await stopped.sync();
  // At once there is what the accounts tell, with what was read of the history.
  const [known] = await world.rowsOf(maker);
  assert.deepEqual(
    [known?.orderKey, known?.openTx, known?.state, known?.remainingMakingAmount, known?.trades.length],
    [old.order, '', 'open', 1_800_000n, 2],
  );
  await stopped.close();
  assert.equal(await world.isComplete(), false);
  const before = await world.store.query<{ oldest: string }>('select oldest from index_cursors');
  const listed: unknown[] = [];
  const next = world.newIndex(
    world.nodeThat((method, params) => {
      if (method === 'getSignaturesForAddress') listed.push((params[1] as { before?: string }).before);
      return undefined;
    }),
  );
  // What happens meanwhile comes in as always.
  const late = await fill(world, taker, old.order, 500_000n);
  await next.sync();
  await eventually('the history is read to its end', world.isComplete);
  assert.ok(listed.includes(before.rows[0]!.oldest), 'it goes on where it was');
  const after = await world.rowsOf(maker);
  const grown = after.find(({ orderKey }) => orderKey === old.order)!;
  assert.deepEqual([grown.openTx, grown.trades.length, grown.trades.at(-1)!.txId], [old.signature, 5, late.signature]);
  assert.equal(after.find(({ orderKey }) => orderKey === gone.order)?.state, 'completed');
  assert.equal(whole[0]!.length, (await world.contents())[0]!.length);
  await next.close();
});

it('keeps apart what was at one address one after the other, also in one transaction', async () => {
  const maker = await newWallet(world);
  const { order } = await placeOrder(world, maker, SMALL);
  const { uniqueId, inputMintReserve } = (await openOrder(world, order))!;
  const makerInputMintAccount = associatedTokenAddress(maker.address, USDC.mint);
  const tokens = { inputMint: USDC.mint, inputTokenProgram: TOKEN_PROGRAM };
  const cancel = cancelOrder({
    signer: maker.address,
    maker: maker.address,
    order,
    inputMintReserve,
    ...tokens,
    makerInputMintAccount,
  });
  const again = (makingAmount: bigint) =>
    initializeOrder({
      payer: maker.address,
      maker: maker.address,
      uniqueId,
      makerInputMintAccount,
      ...tokens,
      outputMint: JUP.mint,
      outputTokenProgram: TOKEN_PROGRAM,
      makingAmount,
      takingAmount: 9n,
    });
  const signature = await send(world, maker, [cancel, again(7n), cancel, again(8n)]);
  await fill(world, await newWallet(world), order, 3n);
  await world.forgetOrders();
  for (const node of [{}, world.shortPages(9)]) {
    await world.forgetOrders();
    const index = world.newIndex(node);
    await index.sync();
    await eventually('the history is read to its end', world.isComplete);
    await index.close();
    const rows = await world.rowsOf(maker);
    assert.deepEqual(
      rows.map(({ openTx, state, makingAmount, remainingMakingAmount, trades }) => [
        ...[openTx === signature, state, makingAmount, remainingMakingAmount, trades.length],
      ]),
      [
        [true, 'open', 8n, 5n, 1],
        [true, 'cancelled', 7n, 7n, 0],
        [false, 'cancelled', 6_000_000n, 6_000_000n, 0],
      ],
    );
  }
});
