import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LimitOrder } from '@slipway/client';
import {
  decodeLimitOrder,
  flashFillOrder,
  LIMIT_ORDER_ADDRESSES,
  LIMIT_ORDER_PROGRAM,
  limitOrderPrice,
  preFlashFillOrder,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Keypair,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { eventually } from './rounds.js';
import { type Answer, request, type Service, startService } from './service.js';
import { airdrop, lamportsOf, send, setPrice, tokensOf, USDC } from './swap.js';
import { infoOf, JUP, newWallet, rpc, signTransaction } from './wallet.js';

interface Body {
  requestId: string;
  transaction: string;
  order: Address;
  signature: string;
  status: string;
  code: number;
  error?: string;
  cause?: string;
}

type Row = LimitOrder;

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const post = (path: string, body: object): Promise<Answer<Body>> =>
  request<Body>(`${service.url}/trigger/v1/${path}`, { body });

async function list(user: Address, orderStatus: 'active' | 'history'): Promise<Row[]> {
  const path = `/trigger/v1/getTriggerOrders?user=${user}&orderStatus=${orderStatus}`;
  return (await request<{ orders: Row[] }>(`${service.url}${path}`)).body.orders;
}

async function execute({ requestId, transaction }: Body, ...signers: Keypair[]): Promise<Body> {
  const { status, body } = await post('execute', {
    requestId,
    signedTransaction: signTransaction(transaction, ...signers),
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** By default an order that no market fills: 100 JUP for 900 USDC. */
async function placeOrder(
  maker: Keypair,
  params: object = { makingAmount: '100000000', takingAmount: '900000000' },
): Promise<Body> {
  const { address } = maker;
  const { status, body } = await post('createOrder', {
    inputMint: JUP,
    outputMint: USDC,
    maker: address,
    payer: address,
    params,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function readOrder(address: Address) {
  type Found = { value: { owner: string; data: [string, string] } | null };
  const { value } = await rpc<Found>(service, 'getAccountInfo', address, { encoding: 'base64' });
  return value && { owner: value.owner, ...decodeLimitOrder(Buffer.from(value.data[0], 'base64'))! };
}

/** Pays for a part of an order out of the taker's own pocket. */
async function fill(taker: Keypair, address: Address, makingAmount: bigint): Promise<void> {
  const order = (await readOrder(address))!;
  const price = limitOrderPrice(order, makingAmount)!;
  const { maker, inputMint, outputMint, inputMintReserve, feeAccount } = order;
  const common = { taker: taker.address, order: address, inputMintReserve, inputTokenProgram: TOKEN_PROGRAM };
  const payer = taker.address;
  await send(service, taker, [
    createAssociatedTokenIdempotent({ payer, owner: LIMIT_ORDER_ADDRESSES.fee, mint: outputMint }),
    createAssociatedTokenIdempotent({ payer, owner: payer, mint: inputMint }),
    preFlashFillOrder({
      ...common,
      inputMint,
      makingAmount,
      takerInputMintAccount: associatedTokenAddress(payer, inputMint),
    }),
    flashFillOrder({
      ...common,
      maker,
      feeAccount,
      outputMint,
      outputTokenProgram: TOKEN_PROGRAM,
      makerOutputMintAccount: associatedTokenAddress(maker, outputMint),
      takerOutputMintAccount: associatedTokenAddress(payer, outputMint),
      maxTakingAmount: price.takingAmount + price.feeAmount,
    }),
  ]);
}

describe('limit orders', () => {
  it('open, are filled by anybody, are cancelled, and are known as before after a kill', async () => {
    const maker = await newWallet(service);
    const taker = await newWallet(service);
    await airdrop(service, taker.address, 1_000_000_000n, USDC);

    const made = await placeOrder(maker);
    assert.equal(made.code, 0);
    const opened = await execute(made, maker);
    assert.deepEqual([opened.status, opened.code, opened.order], ['Success', 0, made.order]);
    const order = await readOrder(made.order);
    assert.deepEqual([order?.owner, order?.maker, order?.bump], [LIMIT_ORDER_PROGRAM, maker.address, 255]);
    assert.deepEqual(
      (await list(maker.address, 'active')).map(({ orderKey, status, openTx }) => [orderKey, status, openTx]),
      [[made.order, 'Open', opened.signature]],
    );

    await fill(taker, made.order, 25_000_000n);
    const [partly] = await list(maker.address, 'active');
    assert.equal(partly?.remainingMakingAmount, '75');
    await fill(taker, made.order, 75_000_000n);
    assert.equal(await tokensOf(service, maker.address, USDC), 900_000_000n);

    const second = await placeOrder(maker);
    const secondOpened = await execute(second, maker);
    const jup = await tokensOf(service, maker.address, JUP);
    const { body: cancel } = await post('cancelOrder', { maker: maker.address, order: second.order });
    const cancelled = await execute(cancel, maker);
    assert.equal(await tokensOf(service, maker.address, JUP), jup + 100_000_000n);

    const third = await placeOrder(maker);
    await execute(third, maker);

    const known = [await list(maker.address, 'active'), await list(maker.address, 'history')];
    const [active, history] = known as [Row[], Row[]];
    assert.deepEqual(
      active.map(({ orderKey }) => orderKey),
      [third.order],
    );
    assert.deepEqual(
      history.map(({ orderKey, status, openTx }) => [orderKey, status, openTx]),
      [
        [second.order, 'Cancelled', secondOpened.signature],
        [made.order, 'Completed', opened.signature],
      ],
    );
    assert.equal(history[0]!.closeTx, cancelled.signature);
    assert.deepEqual(
      history[1]!.trades.map(({ keeper, rawInputAmount, rawOutputAmount }) => [
        keeper,
        rawInputAmount,
        rawOutputAmount,
      ]),
      [
        [taker.address, '25000000', '225000000'],
        [taker.address, '75000000', '675000000'],
      ],
    );

    await service.kill();
    service = await startService({ dataDir: service.dataDir });
    assert.deepEqual([await list(maker.address, 'active'), await list(maker.address, 'history')], known);
    const { body: last } = await post('cancelOrder', { maker: maker.address, order: third.order });
    await execute(last, maker);
    assert.deepEqual(await list(maker.address, 'active'), []);
  });

  it('are filled by the keeper when the price comes, and given back when their time is over', async () => {
    const maker = await newWallet(service);
    const { unixTimestamp } = await infoOf(service);
    const params = { makingAmount: '1000000000', takingAmount: '500000000' };
    const expiring = { ...params, takingAmount: '5000000000', expiredAt: String(unixTimestamp + 3_600) };
    const wanted = await placeOrder(maker, params);
    await execute(wanted, maker);
    const short = await placeOrder(maker, expiring);
    await execute(short, maker);
    await setPrice(service, JUP, 0.6);
    const filled = await eventually('the keeper has filled it', async () =>
      (await list(maker.address, 'history')).find(({ orderKey }) => orderKey === wanted.order),
    );
    assert.equal(filled.status, 'Completed');
    assert.equal(await tokensOf(service, maker.address, USDC), 500_000_000n, 'the maker is paid to the unit');
    const sold = filled.trades.map(({ rawInputAmount }) => BigInt(rawInputAmount));
    const paid = filled.trades.map(({ rawOutputAmount }) => BigInt(rawOutputAmount));
    const sum = (amounts: bigint[]) => amounts.reduce((a, b) => a + b, 0n);
    assert.deepEqual([sum(sold), sum(paid)], [1_000_000_000n, 500_000_000n]);
    await setPrice(service, JUP, 0.42);

    await request(`${service.url}/sandbox/clock`, { body: { seconds: 3_700 } });
    const [late] = await list(maker.address, 'history');
    assert.deepEqual([late?.orderKey, late?.status], [short.order, 'Expired']);
    assert.equal(await tokensOf(service, maker.address, JUP), 4_000_000_000n);
  });

  it('land once, however many post them at once', async () => {
    const maker = await newWallet(service);
    const { requestId, transaction, order } = await placeOrder(maker);
    const body = { requestId, signedTransaction: signTransaction(transaction, maker) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('execute', body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map((answer) => answer.body.signature)).size, 1);
    assert.deepEqual(
      (await list(maker.address, 'active')).map(({ orderKey }) => orderKey),
      [order],
    );
  });

  it('are refused below 5 USD at the price of the moment', async () => {
    const maker = await newWallet(service);
    const params = { makingAmount: '10000000', takingAmount: '9000000' };
    const body = { inputMint: JUP, outputMint: USDC, maker: maker.address, payer: maker.address, params };
    const before = await lamportsOf(service, maker.address);
    const poor = await post('createOrder', body);
    assert.deepEqual([poor.status, poor.body.error], [400, 'invalid create order request']);
    assert.equal(poor.body.cause, 'input mint making amount must be at least 5 USD, received: 4.2');
    await setPrice(service, JUP, 0.6);
    assert.equal((await post('createOrder', body)).status, 200);
    assert.equal(await lamportsOf(service, maker.address), before);
  });

  it('need a key', async () => {
    const headers = { 'x-api-key': undefined };
    const path = `${service.url}/trigger/v1/getTriggerOrders?user=${LIMIT_ORDER_PROGRAM}&orderStatus=active`;
    const { status, body } = await request(path, { headers });
    assert.deepEqual([status, body.code], [401, 401]);
  });
});
