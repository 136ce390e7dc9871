import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMIT_ORDER_PROGRAM, LIMIT_ORDER_SIZE, type LimitOrder } from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  generateKeypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { startTestServer } from '../../http/testing.js';
import { createLimiter } from '../../store/limiter.js';
import { MOST_AT_ONCE, oldestOf } from './cancel-order.js';
import { registerTriggerV1 } from './index.js';
import {
  balances,
  fill,
  JUP,
  newWallet,
  openTriggerWorld,
  placeOrder,
  signed,
  type TriggerWorld,
  USDC,
} from './testing.js';

let world: TriggerWorld;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world.close());

const OWNER_AT = 32;
const STATE_AT = 108;
const FROZEN = 2;
const CLOSER_AT = 129;

/** Changes an account as no transaction could. */
async function patch(address: Address, at: number, bytes: Uint8Array): Promise<void> {
  const { lamports, owner, data } = (await world.chain.account(address))!;
  const changed = Buffer.from(data);
  changed.set(bytes, at);
  const account = { lamports: Number(lamports), owner, data: changed.toString('base64') };
  await world.rpc.call('localnet_setAccount', [address, account]);
}

describe('cancelling several', () => {
  it('takes five a transaction, all under one request id, and all that are open by default', async () => {
    const maker = await newWallet(world);
    const opened = new Set<Address>();
    for (let n = 0; n < 7; n++) opened.add((await placeOrder(world, maker)).order);
    const { body } = await world.post('cancelOrders', { maker: maker.address });
    assert.equal(body.transactions.length, 2);
    const signatures = [];
    for (const transaction of body.transactions.toReversed()) {
      const posted = { requestId: body.requestId, signedTransaction: signed(transaction, maker) };
      const done = await world.post('execute', posted);
      assert.equal(done.status, 200, done.body.error);
      assert.deepEqual((await world.post('execute', posted)).body, done.body, 'the same answer to the same post');
      signatures.push(done.body.signature);
    }
    assert.equal(new Set(signatures).size, 2);
    assert.equal((await balances(world, maker.address)).usdc, 1_000_000_000n);
    const { orders } = (await world.orders({ user: maker.address, orderStatus: 'history' })).body;
    assert.deepEqual(new Set(orders.map(({ orderKey }) => orderKey)), opened);
    const none = await world.post('cancelOrders', { maker: maker.address });
    assert.deepEqual([none.status, none.body.error], [400, 'no matching orders found']);
  });

  it('attack: a free key cancels orders of any maker: a call pays for each transaction, before one is simulated, and as ten before any are looked for', async () => {
    const maker = await newWallet(world);
    const named: Address[] = [];
    for (let n = 0; n < 7; n++) named.push((await placeOrder(world, maker)).order);
    let simulated = 0;
    let listed = 0;
    const { rpc } = world.chain;
    const chain: typeof world.chain = {
      ...world.chain,
      rpc: {
        ...rpc,
        call: <T>(method: string, params: unknown[]) => {
          if (method === 'getProgramAccounts') listed++;
          return rpc.call<T>(method, params);
        },
      },
      simulate: (wire, options) => {
        simulated++;
        return world.chain.simulate(wire, options);
      },
    };
    const tiers = { free: { perMinute: 13, executePer10s: 1 } };
    const { app } = await startTestServer((server) => registerTriggerV1(server, { ...world.deps, chain }), {
      limiter: createLimiter({ store: world.store, tiers, steadyNow: () => 0 }),
    });
    const post = (payload: object) =>
      app.inject({ method: 'POST', url: '/trigger/v1/cancelOrders', headers: { 'x-api-key': 'good-key' }, payload });
    const left = async (body: object) => {
      const { statusCode, headers, body: text } = await post({ maker: maker.address, ...body });
      return { text, left: [statusCode, headers['x-ratelimit-remaining'], simulated, listed] };
    };
    assert.deepEqual((await left({})).left, [200, '3', 2, 1]);
    assert.deepEqual((await left({ orders: named })).left, [200, '1', 4, 1]);
    const third = await left({ orders: named });
    assert.deepEqual(third.left, [429, '0', 4, 1]);
    assert.match(third.text, /count as 2 calls/);
    await app.close();
    const orders = Array.from({ length: MOST_AT_ONCE + 1 }, () => generateKeypair().address);
    assert.equal((await world.post('cancelOrders', { maker: maker.address, orders })).status, 400);
  });

  it('takes the 50 oldest where none are named', () => {
    const open = Array.from({ length: 52 }, (_, n) => ({
      address: generateKeypair().address,
      order: { createdAt: BigInt((n * 7) % 52) } as LimitOrder,
    }));
    const taken = oldestOf(open).map(({ order }) => order.createdAt);
    assert.deepEqual(
      taken,
      Array.from({ length: 50 }, (_, n) => BigInt(n)),
    );
  });

  it('leaves out what cannot be cancelled, and says which and why', async () => {
    for (const [at, bytes] of [
      [OWNER_AT, addressToBytes(generateKeypair().address)],
      [STATE_AT, Buffer.of(FROZEN)],
    ] as const) {
      const maker = await newWallet(world);
      const good = [await placeOrder(world, maker), await placeOrder(world, maker)].map(({ order }) => order);
      const input = { inputMint: JUP.mint, outputMint: USDC.mint };
      const bad = (await placeOrder(world, maker, input)).order;
      const place = associatedTokenAddress(maker.address, JUP.mint);
      await patch(place, at, bytes);
      const cause = `the maker's token account ${place} is frozen, requires memos or belongs to somebody else now`;
      for (const orders of [undefined, [bad, ...good]]) {
        const { status, body } = await world.post('cancelOrders', { maker: maker.address, ...(orders && { orders }) });
        assert.equal(status, 200, body.cause);
        assert.deepEqual([body.transactions.length, body.skipped], [1, [{ order: bad, cause }]]);
        if (!orders) continue;
        const [transaction] = body.transactions;
        const posted = { requestId: body.requestId, signedTransaction: signed(transaction!, maker) };
        assert.equal((await world.post('execute', posted)).status, 200);
      }
      assert.equal((await balances(world, maker.address)).usdc, 1_000_000_000n);
      for (const [path, sent] of [
        ['cancelOrder', { order: bad }],
        ['cancelOrders', { orders: [bad] }],
        ['cancelOrders', {}],
      ] as const) {
        const { status, body } = await world.post(path, { maker: maker.address, ...sent });
        const error = 'something went wrong while generating cancel instructions';
        assert.deepEqual([status, body.error, body.cause], [500, error, `${bad}: ${cause}`]);
      }
    }
  });

  it('attack: a page has a wallet let it close its account of SOL, with what a cancelled order has paid into it: that goes to the wallet itself', async () => {
    const maker = await newWallet(world);
    await world.rpc.call('localnet_airdropToken', [maker.address, WRAPPED_SOL_MINT, '2000000000']);
    const given = { inputMint: WRAPPED_SOL_MINT, wrapAndUnwrapSol: false, params: { makingAmount: '1500000000' } };
    const { order } = await placeOrder(world, maker, given);
    const place = associatedTokenAddress(maker.address, WRAPPED_SOL_MINT);
    await patch(place, CLOSER_AT, Buffer.of(1, 0, 0, 0, ...addressToBytes(generateKeypair().address)));
    const before = await balances(world, maker.address);
    const { body } = await world.post('cancelOrder', { maker: maker.address, order });
    const posted = { requestId: body.requestId, signedTransaction: signed(body.transaction, maker) };
    const done = await world.post('execute', posted);
    assert.equal(done.status, 200, done.body.error);
    const params = [done.body.signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }];
    const { fee } = (await world.rpc.call<{ meta: { fee: number } }>('getTransaction', params)).meta;
    const after = await balances(world, maker.address);
    assert.deepEqual([before.wrapped, after.wrapped], [500_000_000n, 500_000_000n]);
    const rents = rentExemptLamports(LIMIT_ORDER_SIZE) + rentExemptLamports(165);
    assert.equal(after.sol - before.sol, 1_500_000_000n + rents - BigInt(fee));
  });

  it('leaves out what is not open or not the maker’s, and what the chain refuses', async () => {
    const [maker, stranger] = [await newWallet(world), await newWallet(world)];
    const open = (await placeOrder(world, maker)).order;
    const gone = (await placeOrder(world, maker)).order;
    await fill(world, stranger, gone, 100_000_000n);
    const others = (await placeOrder(world, stranger)).order;
    const lent = (await placeOrder(world, maker)).order;
    const BORROWED_AT = 240;
    await patch(lent, BORROWED_AT, Buffer.of(1));
    const orders = [gone, open, others, lent];
    const { status, body } = await world.post('cancelOrders', { maker: maker.address, orders });
    assert.equal(status, 200, body.cause);
    const skipped = new Map(body.skipped?.map(({ order, cause }) => [order, cause]));
    assert.equal(body.transactions.length, 1);
    assert.deepEqual([...skipped.keys()].sort(), [gone, others, lent].sort());
    assert.match(skipped.get(gone)!, /no order is open there/);
    assert.match(skipped.get(others)!, /another maker's/);
    assert.match(skipped.get(lent)!, /would refuse it: InvalidBorrowMakingAmount/);
    const posted = { requestId: body.requestId, signedTransaction: signed(body.transactions[0]!, maker) };
    assert.equal((await world.post('execute', posted)).status, 200);
    assert.equal((await world.chain.account(open))?.owner === LIMIT_ORDER_PROGRAM, false);
  });

  it('blames no order for a wallet without SOL', async () => {
    const maker = await newWallet(world);
    for (let n = 0; n < 3; n++) await placeOrder(world, maker);
    const empty = { lamports: 0, owner: SYSTEM_PROGRAM, data: '' };
    await world.rpc.call('localnet_setAccount', [maker.address, empty]);
    const { chain } = world.deps;
    let tries = 0;
    const simulate: typeof chain.simulate = (...given) => {
      tries++;
      return chain.simulate(...given);
    };
    world.deps.chain = { ...chain, simulate };
    const { status, body } = await world.post('cancelOrders', { maker: maker.address });
    world.deps.chain = chain;
    assert.deepEqual(
      [status, body.error, tries],
      [500, 'something went wrong while generating cancel instructions', 1],
    );
    assert.match(body.cause!, /^the chain would refuse it: transaction failed: /);
  });
});
