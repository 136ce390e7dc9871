import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeLimitOrder, LIMIT_ORDER_PROGRAM, LIMIT_ORDER_SIZE } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  rentExemptLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { paymentPlace } from '../../crafting/limit-order.js';
import { withOtherSignature } from '../../lib/other-signature-testing.js';
import {
  balances,
  fill,
  JUP,
  JUPUSD,
  newWallet,
  openOrder,
  openTriggerWorld,
  orderBody,
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

const TOKEN_RENT = rentExemptLamports(165);
const ORDER_RENT = rentExemptLamports(LIMIT_ORDER_SIZE);
const feeOf = async (signature: string) => {
  const params = [signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }];
  return BigInt((await world.rpc.call<{ meta: { fee: number } }>('getTransaction', params)).meta.fee);
};
const list = async (user: Address, orderStatus: 'active' | 'history', more: Record<string, string | number> = {}) =>
  (await world.orders({ user, orderStatus, ...more })).body;

describe('an order', () => {
  it('is on the chain as it was asked for, cheap for the program, and in the list of active ones', async () => {
    const maker = await newWallet(world);
    const expiredAt = Math.floor(world.clock.now() / 1_000) + 3_600;
    const params = { expiredAt: String(expiredAt), slippageBps: '50' };
    const { order, signature } = await placeOrder(world, maker, { params });

    const account = await world.chain.account(order);
    assert.equal(account?.owner, LIMIT_ORDER_PROGRAM);
    const held = decodeLimitOrder(account!.data)!;
    assert.deepEqual(
      [held.maker, held.inputMint, held.outputMint, held.makingAmount, held.takingAmount],
      [maker.address, USDC.mint, JUP.mint, 100_000_000n, 250_000_000n],
    );
    assert.deepEqual([held.bump, held.slippageBps, held.expiredAt, held.feeBps], [255, 50, BigInt(expiredAt), 10]);
    assert.equal((await balances(world, maker.address)).usdc, 900_000_000n);

    const { orders, totalPages, page } = await list(maker.address, 'active');
    assert.deepEqual([orders.length, totalPages, page], [1, 1, 1]);
    const { createdAt, updatedAt, ...row } = orders[0]!;
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(row, {
      userPubkey: maker.address,
      orderKey: order,
      inputMint: USDC.mint,
      outputMint: JUP.mint,
      makingAmount: '100',
      takingAmount: '250',
      remainingMakingAmount: '100',
      remainingTakingAmount: '250',
      rawMakingAmount: '100000000',
      rawTakingAmount: '250000000',
      rawRemainingMakingAmount: '100000000',
      rawRemainingTakingAmount: '250000000',
      slippageBps: '50',
      expiredAt: new Date(expiredAt * 1_000).toISOString().replace('.000Z', 'Z'),
      status: 'Open',
      openTx: signature,
      closeTx: '',
      programVersion: LIMIT_ORDER_PROGRAM,
      trades: [],
    });
  });

  it('is filled in parts, each a trade, and moves to the history when nothing is left', async () => {
    const [maker, taker] = [await newWallet(world), await newWallet(world)];
    const { order } = await placeOrder(world, maker);
    const first = await fill(world, taker, order, 40_000_000n);
    const [partly] = (await list(maker.address, 'active')).orders;
    assert.deepEqual([partly!.status, partly!.remainingMakingAmount, partly!.trades.length], ['Open', '60', 1]);

    const last = await fill(world, taker, order, 60_000_000n);
    assert.deepEqual((await list(maker.address, 'active')).orders, []);
    const [filled] = (await list(maker.address, 'history')).orders;
    assert.deepEqual(
      [filled!.status, filled!.closeTx, filled!.rawRemainingMakingAmount],
      ['Completed', last.signature, '0'],
    );
    const { confirmedAt, ...trade } = filled!.trades[0]!;
    assert.match(confirmedAt, /Z$/);
    assert.deepEqual(trade, {
      orderKey: order,
      keeper: taker.address,
      inputMint: USDC.mint,
      outputMint: JUP.mint,
      inputAmount: '40',
      outputAmount: '100',
      rawInputAmount: '40000000',
      rawOutputAmount: '100000000',
      feeMint: JUP.mint,
      feeAmount: '0.1',
      rawFeeAmount: String(first.feeAmount),
      txId: first.signature,
      action: 'Fill',
      productMeta: null,
    });
    assert.equal((await balances(world, maker.address)).jup, 1_250_000_000n);
  });

  it('gives everything back but the network fee when it is cancelled', async () => {
    const maker = await newWallet(world);
    const old = await balances(world, maker.address);
    const { order, signature } = await placeOrder(world, maker);
    const cancel = await world.post('cancelOrder', { maker: maker.address, order });
    assert.equal(cancel.status, 200, cancel.body.error);
    assert.equal(cancel.body.code, 0);
    const { requestId, transaction } = cancel.body;
    const done = await world.post('execute', { requestId, signedTransaction: signed(transaction, maker) });
    assert.deepEqual([done.body.status, done.body.code, done.body.order], ['Success', 0, order], done.body.error);
    const fees = (await feeOf(signature)) + (await feeOf(done.body.signature!));
    assert.deepEqual(await balances(world, maker.address), { ...old, sol: old.sol - fees });
    const [row] = (await list(maker.address, 'history')).orders;
    assert.deepEqual([row!.status, row!.closeTx], ['Cancelled', done.body.signature]);
    const again = await world.post('cancelOrder', { maker: maker.address, order });
    assert.deepEqual([again.status, again.body.error], [400, 'no matching orders found']);
    assert.match(again.body.cause!, /filled or cancelled/);
  });

  it('takes SOL from the wallet and gives it back there, past its own wrapped SOL', async () => {
    const maker = await newWallet(world);
    await world.rpc.call('localnet_airdropToken', [maker.address, WRAPPED_SOL_MINT, '7']);
    const old = await balances(world, maker.address);
    const given = { inputMint: WRAPPED_SOL_MINT, params: { makingAmount: '1000000000' } };
    const { order, signature } = await placeOrder(world, maker, given);
    const locked = 1_000_000_000n + ORDER_RENT + TOKEN_RENT;
    assert.deepEqual(await balances(world, maker.address), {
      ...old,
      sol: old.sol - locked - (await feeOf(signature)),
    });

    const { body } = await world.post('cancelOrders', { maker: maker.address, orders: [order] });
    const [transaction] = body.transactions;
    const done = await world.post('execute', {
      requestId: body.requestId,
      signedTransaction: signed(transaction!, maker),
    });
    const fees = (await feeOf(signature)) + (await feeOf(done.body.signature!));
    assert.deepEqual(await balances(world, maker.address), { ...old, sol: old.sol - fees });
  });

  it('takes wrapped SOL from its account where that is asked for', async () => {
    const maker = await newWallet(world);
    await world.rpc.call('localnet_airdropToken', [maker.address, WRAPPED_SOL_MINT, '2000000000']);
    const given = { inputMint: WRAPPED_SOL_MINT, wrapAndUnwrapSol: false, params: { makingAmount: '1500000000' } };
    const { order } = await placeOrder(world, maker, given);
    assert.equal((await balances(world, maker.address)).wrapped, 500_000_000n);
    const { body } = await world.post('cancelOrder', { maker: maker.address, order });
    const { requestId, transaction } = body;
    const done = await world.post('execute', { requestId, signedTransaction: signed(transaction, maker) });
    assert.equal(done.status, 200, done.body.error);
    assert.equal((await balances(world, maker.address)).wrapped, 2_000_000_000n);
  });

  it('makes the account for the wrapped SOL that is wanted, and says in its number that it is', async () => {
    const maker = await newWallet(world);
    const params = { takingAmount: '600000000' };
    const wanted = { outputMint: WRAPPED_SOL_MINT, wrapAndUnwrapSol: false, params };
    const { order } = await placeOrder(world, maker, wanted);
    assert.equal((await balances(world, maker.address)).wrapped, 0n);
    const place = associatedTokenAddress(maker.address, WRAPPED_SOL_MINT);
    assert.equal(paymentPlace((await openOrder(world, order))!), place);
    const other = await placeOrder(world, maker, { ...wanted, wrapAndUnwrapSol: true });
    assert.equal(paymentPlace((await openOrder(world, other.order))!), undefined);
    const tokens = await placeOrder(world, maker, { wrapAndUnwrapSol: false });
    const stored = (await openOrder(world, tokens.order))!;
    assert.equal(paymentPlace(stored), associatedTokenAddress(maker.address, JUP.mint));
  });

  it('pays the maker SOL as SOL', async () => {
    const [maker, taker] = [await newWallet(world), await newWallet(world)];
    const params = { takingAmount: '600000000' };
    const { order } = await placeOrder(world, maker, { outputMint: WRAPPED_SOL_MINT, params });
    const old = await balances(world, maker.address);
    await fill(world, taker, order, 100_000_000n);
    const now = await balances(world, maker.address);
    assert.equal(now.sol, old.sol + 600_000_000n + ORDER_RENT + TOKEN_RENT);
    assert.equal(now.wrapped, undefined);
  });

  it('costs a payer other than the maker, and both must sign', async () => {
    const [maker, payer] = [await newWallet(world), await newWallet(world)];
    const before = [await balances(world, maker.address), await balances(world, payer.address)] as const;
    const given = { payer: payer.address, inputMint: WRAPPED_SOL_MINT, params: { makingAmount: '1000000000' } };
    const { body } = await world.post('createOrder', orderBody(maker, given));
    const { requestId, transaction } = body;
    const half = await world.post('execute', { requestId, signedTransaction: signed(transaction, payer) });
    assert.deepEqual([half.status, half.body.error, half.body.status], [400, 'invalid transaction', 'Failed']);
    assert.match(half.body.cause!, new RegExp(`signature of ${maker.address} is missing`));
    const done = await world.post('execute', { requestId, signedTransaction: signed(transaction, payer, maker) });
    assert.equal(done.status, 200, done.body.error);
    const after = [await balances(world, maker.address), await balances(world, payer.address)] as const;
    assert.equal(after[0].sol, before[0].sol - 1_000_000_000n);
    assert.equal(after[1].sol, before[1].sol - ORDER_RENT - TOKEN_RENT - (await feeOf(done.body.signature!)));
  });

  it('attack: a sponsor opens a limit order with another signature than was posted, to have its maker make it again: it is found by its message', async () => {
    const [maker, payer] = [await newWallet(world), await newWallet(world)];
    const { body } = await world.post('createOrder', orderBody(maker, { payer: payer.address }));
    const { requestId, transaction, order } = body;
    const signedTransaction = signed(transaction, maker, payer);
    const twin = withOtherSignature(signedTransaction, payer);
    const sent = await world.rpc.call('sendTransaction', [twin, { encoding: 'base64', skipPreflight: true }]);
    await world.rpc.call('localnet_advanceClock', [120]);
    world.chain.forget();
    const done = await world.post('execute', { requestId, signedTransaction });
    assert.deepEqual([done.status, done.body.signature, done.body.order], [200, sent, order]);
    assert.ok(await openOrder(world, order));
  });

  it('has the fee of its pair, and on top what an integrator asks', async () => {
    const maker = await newWallet(world);
    const integrator = await newWallet(world);
    const account = associatedTokenAddress(integrator.address, JUP.mint);
    const stable = await placeOrder(world, maker, { outputMint: JUPUSD });
    assert.equal((await openOrder(world, stable.order))?.feeBps, 3);
    const { order } = await placeOrder(world, maker, { feeAccount: account, params: { feeBps: '25' } });
    assert.deepEqual(
      [(await openOrder(world, order))?.feeBps, (await openOrder(world, order))?.feeAccount],
      [35, account],
    );
    const alone = await placeOrder(world, maker, { feeAccount: account });
    assert.deepEqual(
      [(await openOrder(world, alone.order))?.feeBps, (await openOrder(world, alone.order))?.feeAccount],
      [10, account],
    );
    const paid = await fill(world, await newWallet(world), order, 100_000_000n);
    assert.equal(paid.feeAmount, 875_000n);
    assert.equal((await balances(world, integrator.address)).jup, 1_000_875_000n);
  });

  it('pays what the 95th percentile pays by default, or what was asked', async () => {
    const maker = await newWallet(world);
    const { chain } = world.deps;
    world.deps.chain = { ...chain, computeUnitPrice: async (percent = 0) => BigInt(percent) * 1_000n };
    const priceIn = async (given: object) => {
      const { body } = await world.post('createOrder', orderBody(maker, { ...given }));
      const { decoded } = decodeTransaction(Buffer.from(body.transaction, 'base64'));
      return Buffer.from(decoded.instructions[1]!.data).readBigUInt64LE(1);
    };
    assert.equal(await priceIn({}), 95_000n);
    assert.equal(await priceIn({ computeUnitPrice: 'auto' }), 95_000n);
    assert.equal(await priceIn({ computeUnitPrice: '12345' }), 12_345n);
    world.deps.chain = chain;
  });
});
