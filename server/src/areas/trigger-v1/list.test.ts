import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { cancelOrder } from '@slipway/programs';
import { type Address, associatedTokenAddress, TOKEN_PROGRAM, tokenTransferChecked } from '@slipway/wire';
import { startTestServer } from '../../http/testing.js';
import { createLimiter } from '../../store/limiter.js';
import { registerTriggerV1 } from './index.js';
import {
  fill,
  JUP,
  JUPUSD,
  newWallet,
  openOrder,
  openTriggerWorld,
  orderBody,
  placeOrder,
  send,
  signed,
  type TriggerWorld,
  USDC,
} from './testing.js';

let world: TriggerWorld;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world.close());

const list = async (user: Address, orderStatus: 'active' | 'history', more: Record<string, string | number> = {}) =>
  (await world.orders({ user, orderStatus, ...more })).body;

describe('the list', () => {
  it('has pages of ten, filters, and the expired ones that others have cancelled', async () => {
    const [maker, stranger] = [await newWallet(world), await newWallet(world)];
    for (let n = 0; n < 11; n++) await placeOrder(world, maker, { params: { makingAmount: '6000000' } });
    const expiredAt = String(Math.floor(world.clock.now() / 1_000) + 60);
    const { order } = await placeOrder(world, maker, { outputMint: JUPUSD, params: { expiredAt } });
    const first = await list(maker.address, 'active');
    assert.deepEqual([first.orders.length, first.totalPages, first.hasMoreData], [10, 2, true]);
    const second = await list(maker.address, 'active', { page: 2 });
    assert.deepEqual([second.orders.length, second.page, second.hasMoreData], [2, 2, false]);
    const keys = new Set([...first.orders, ...second.orders].map(({ orderKey }) => orderKey));
    assert.equal(keys.size, 12);
    const stable = await list(maker.address, 'active', { outputMint: JUPUSD });
    assert.deepEqual(
      stable.orders.map(({ orderKey }) => orderKey),
      [order],
    );
    assert.deepEqual((await list(maker.address, 'active', { inputMint: JUP.mint })).orders, []);

    await world.rpc.call('localnet_advanceClock', [120]);
    world.chain.forget();
    const { inputMintReserve } = (await openOrder(world, order))!;
    const accounts = { order, inputMintReserve, inputMint: USDC.mint, inputTokenProgram: TOKEN_PROGRAM };
    const makerInputMintAccount = associatedTokenAddress(maker.address, USDC.mint);
    await send(world, stranger, [
      cancelOrder({ signer: stranger.address, maker: maker.address, ...accounts, makerInputMintAccount }),
    ]);
    const [row] = (await list(maker.address, 'history')).orders;
    assert.deepEqual([row!.orderKey, row!.status], [order, 'Expired']);
  });

  it('attack: a node shows a mint no more, or its issuer has closed it, so that amounts are told a million times too large: they are left out, and the raw ones are there', async (t) => {
    const [maker, taker] = [await newWallet(world), await newWallet(world)];
    const { order } = await placeOrder(world, maker);
    await fill(world, taker, order, 50_000_000n);
    const shown = async () => (await list(maker.address, 'active')).orders[0]!;
    const known = await shown();
    const { mint } = world.deps.chain;
    t.mock.method(world.deps.chain, 'mint', async (of: Address) => (of === known.outputMint ? undefined : mint(of)));
    const { takingAmount, remainingTakingAmount, trades, ...rest } = known;
    const [{ outputAmount, feeAmount, ...trade }] = trades as [(typeof trades)[number]];
    assert.deepEqual([takingAmount, outputAmount, feeAmount], ['250', '125', '0.125']);
    assert.equal(remainingTakingAmount, '125');
    assert.deepEqual(await shown(), { ...rest, trades: [trade] });
  });

  it('names the field of a question that is wrong', async () => {
    const user = (await newWallet(world)).address;
    for (const [query, error] of [
      [{ orderStatus: 'active' }, /^user: required/],
      [{ user: 'x', orderStatus: 'active' }, /^user: expected a public key/],
      [{ user }, /^orderStatus: /],
      [{ user, orderStatus: 'open' }, /^orderStatus: /],
      [{ user, orderStatus: 'active', page: 0 }, /^page: /],
      [{ user, orderStatus: 'active', page: '1.5' }, /^page: /],
      [{ user, orderStatus: 'active', inputMint: 'x' }, /^inputMint: expected a public key/],
      [{ user, orderStatus: 'active', outputMint: '' }, /^outputMint: expected a public key/],
      [{ user, orderStatus: 'history', includeFailedTx: 'yes' }, /^includeFailedTx: /],
    ] as [Record<string, string | number>, RegExp][]) {
      const { status, body } = await world.orders(query);
      assert.equal(status, 400, JSON.stringify(query));
      assert.match(body.error!, error);
    }
    const beyond = await list(user, 'active', { page: 7 });
    assert.deepEqual([beyond.orders, beyond.totalPages, beyond.hasMoreData], [[], 0, false]);
  });

  it('attack: a free key asks for ever more pages of a maker with very many orders: each 10,000 of them count as a call, before they are read', async () => {
    const maker = (await newWallet(world)).address;
    const { program } = world.deps.addresses;
    await world.store.query(
      `insert into limit_orders select 'many ' || n, 0, '', $1, $2, $3, $3, 1, 1, 0, 0, 0, null, 'cancelled', '', now(), now(), '[]', n, 0
       from generate_series(1, 20001) as n`,
      [program, maker, USDC.mint],
    );
    const tiers = { free: { perMinute: 5, executePer10s: 1 } };
    const { app } = await startTestServer((server) => registerTriggerV1(server, world.deps), {
      limiter: createLimiter({ store: world.store, tiers, steadyNow: () => 0 }),
    });
    const reads = mock.method(world.store, 'query');
    const ask = async (orderStatus: string) => {
      reads.mock.resetCalls();
      const url = `/trigger/v1/getTriggerOrders?user=${maker}&orderStatus=${orderStatus}&page=2000`;
      const { statusCode, headers, body } = await app.inject({ url, headers: { 'x-api-key': 'good-key' } });
      const texts = reads.mock.calls
        .map(({ arguments: [text] }) => text)
        .filter((text) => text.includes(`from limit_orders\n`));
      const lengths = texts.map((text) => /limit (\d+)/.exec(text)?.[1]);
      return { text: body, body: JSON.parse(body), left: [statusCode, headers['x-ratelimit-remaining']], lengths };
    };
    const first = await ask('history');
    assert.deepEqual(first.left, [200, '2']);
    assert.deepEqual([first.body.orders.length, first.body.totalPages, first.body.hasMoreData], [10, 2001, true]);
    assert.equal(new Set(first.body.orders.map(({ orderKey }: { orderKey: string }) => orderKey)).size, 10);
    assert.deepEqual(first.lengths, ['10000', '10000', '10000']);
    // None of them is open.
    const active = await ask('active');
    assert.deepEqual([active.left, active.lengths], [[200, '1'], ['10000']]);
    const refused = await ask('history');
    assert.deepEqual(refused.left, [429, '0']);
    assert.match(refused.text, /each 10000 orders of this wallet count as a call/);
    assert.deepEqual(refused.lengths, ['10000']);
    reads.mock.restore();
    await app.close();
    await world.store.query('delete from limit_orders where maker = $1', [maker]);
  });

  it('has what the chain has refused to open only where that is asked for', async () => {
    const [maker, friend] = [await newWallet(world), await newWallet(world)];
    const { body } = await world.post('createOrder', orderBody(maker));
    const transfer = tokenTransferChecked({
      source: associatedTokenAddress(maker.address, USDC.mint),
      destination: associatedTokenAddress(friend.address, USDC.mint),
      mint: USDC.mint,
      authority: maker.address,
      amount: 950_000_000n,
      decimals: USDC.decimals,
    });
    await send(world, maker, [transfer]);
    const base64 = signed(body.transaction, maker);
    const config = { encoding: 'base64', skipPreflight: true };
    const signature = await world.rpc.call<string>('sendTransaction', [base64, config]);
    assert.deepEqual((await list(maker.address, 'history')).orders, []);
    assert.deepEqual((await list(maker.address, 'history', { includeFailedTx: 'false' })).orders, []);
    const [row] = (await list(maker.address, 'history', { includeFailedTx: 'true' })).orders;
    assert.deepEqual([row!.orderKey, row!.status, row!.openTx], [body.order, 'Failed', signature]);
    assert.deepEqual((await list(maker.address, 'active', { includeFailedTx: 'true' })).orders, []);
  });

  it('is the same from an empty database, also for orders that no history tells of', async () => {
    const [maker, taker] = [await newWallet(world), await newWallet(world)];
    const filled = await placeOrder(world, maker);
    await fill(world, taker, filled.order, 100_000_000n);
    const part = await placeOrder(world, maker);
    await fill(world, taker, part.order, 30_000_000n);
    const old = [await list(maker.address, 'active'), await list(maker.address, 'history')];
    assert.equal(old[0]!.orders[0]?.trades.length, 1);
    await world.forgetOrders();
    world.deps.index = world.newIndex();
    assert.deepEqual([await list(maker.address, 'active'), await list(maker.address, 'history')], old);

    // A node that keeps no history reports no transactions.
    await world.forgetOrders();
    const rpc = {
      ...world.rpc,
      call: <T>(method: string, params: unknown[]) =>
        method === 'getSignaturesForAddress' ? Promise.resolve([] as T) : world.rpc.call<T>(method, params),
    };
    world.deps.index = world.newIndex({ chain: { ...world.chain, rpc } });
    const [row] = (await list(maker.address, 'active')).orders;
    assert.deepEqual(
      [row!.orderKey, row!.openTx, row!.remainingMakingAmount, row!.createdAt],
      [part.order, '', '70', old[0]!.orders[0]!.createdAt],
    );
    world.deps.index = world.newIndex();
  });
});
