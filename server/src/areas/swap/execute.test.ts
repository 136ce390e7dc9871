import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  decodeTransaction,
  encodeMint,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  TOKEN_2022_PROGRAM,
} from '@slipway/wire';
import { RpcError } from '../../chain/index.js';
import { ata } from '../../sandbox/maker/testing.js';
import { balances, JUP, newWallet, openSwapWorld, SOL, type SwapWorld, signed, swap, USDC } from './testing.js';

const SOL_1 = 1_000_000_000n;
const USDC_1 = 1_000_000n;

describe('the execution of an order', () => {
  let world: SwapWorld;
  let taker: Keypair;
  before(async () => {
    world = await openSwapWorld();
    taker = await newWallet(world, 100n * SOL_1, [[USDC, 100_000n * USDC_1]]);
  });
  after(() => world.close());

  const sell = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000' };

  async function orderOf(query: Record<string, string | number> = {}) {
    const { status, body } = await world.order({ ...sell, taker: taker.address, excludeRouters: 'jupiterz', ...query });
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.transaction, JSON.stringify(body));
    return { requestId: body.requestId, transaction: body.transaction, order: body };
  }

  it('happens once however many posts race, and all of them get the same answer, also later', async () => {
    const { requestId, transaction, order } = await orderOf();
    const old = await balances(world, taker.address);
    const body = { requestId, signedTransaction: signed(transaction, taker) };
    const answers = await Promise.all(Array.from({ length: 12 }, () => world.execute(body)));
    answers.push(await world.execute(body));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]!.body);
    }
    assert.equal(answers[0]!.body.status, 'Success');
    assert.match(answers[0]!.body.slot, /^[1-9][0-9]*$/);
    const now = await balances(world, taker.address);
    assert.equal(old.usdc - now.usdc, BigInt(order.inAmount));
    assert.equal(now.jup - old.jup, BigInt(order.outAmount));
  });

  it('is refused with the code of what is wrong with the post', async () => {
    const { requestId, transaction } = await orderOf();
    const other = await orderOf();
    const signedTransaction = signed(transaction, taker);
    const altered = decodeTransaction(Buffer.from(signedTransaction, 'base64'));
    altered.message[altered.message.length - 2]! ^= 1;
    const { decoded: _, ...changed } = altered;
    const cases: [object, number][] = [
      [{ signedTransaction }, -4],
      [{ requestId: '', signedTransaction }, -4],
      [{ requestId }, -5],
      [{ requestId, signedTransaction: '' }, -5],
      [{}, -4],
      [{ requestId, signedTransaction: 'not base64!' }, -2],
      [{ requestId, signedTransaction: signedTransaction.slice(0, 40) }, -2],
      [{ requestId: 'unknown', signedTransaction }, -1],
      [{ requestId, signedTransaction: Buffer.from(encodeTransaction(changed)).toString('base64') }, -3],
      [{ requestId, signedTransaction: signed(other.transaction, taker) }, -3],
    ];
    for (const [body, code] of cases) {
      const answer = await world.execute(body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error']);
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
    }
    const { body } = await world.execute({ requestId, signedTransaction });
    assert.equal(body.status, 'Success', 'a refused post does not use the order up');
  });

  it('has a code also where the body is not of the expected form', async () => {
    const { app } = world;
    const post = async (payload: string, type = 'application/json') => {
      const headers = { 'x-api-key': 'good-key', 'content-type': type };
      const answer = await app.inject({ method: 'POST', url: '/ultra/v1/execute', headers, payload });
      return [answer.statusCode, (answer.json() as { code: number }).code];
    };
    for (const [payload, code] of [
      ['{"requestId": 5, "signedTransaction": "AA=="}', -4],
      ['{"requestId": null, "signedTransaction": "AA=="}', -4],
      ['{"requestId": "x", "signedTransaction": null}', -5],
      ['{"requestId": "x", "signedTransaction": {}}', -5],
      [`{"requestId": "x", "signedTransaction": "${'A'.repeat(2_000)}"}`, -2],
      [`{"requestId": "${'x'.repeat(101)}", "signedTransaction": "AA=="}`, -4],
      ['{"requestId": ', -2],
      ['[]', -4],
      ['null', -4],
      ['"text"', -4],
      ['', -4],
    ] as const) {
      assert.deepEqual(await post(payload), [400, code], payload);
    }
  });

  it('is a success also where the node does not tell the amounts afterwards', async () => {
    const { requestId, transaction } = await orderOf();
    const { rpc } = world.deps.chain;
    const call = rpc.call;
    rpc.call = ((method: string, ...rest: [never]) =>
      method === 'getTransaction'
        ? Promise.reject(new RpcError(-32_601, 'refused'))
        : call.call(rpc, method, ...rest)) as never;
    const body = { requestId, signedTransaction: signed(transaction, taker) };
    const first = await world.execute(body).finally(() => {
      rpc.call = call;
    });
    assert.deepEqual([first.status, first.body.status, first.body.code], [200, 'Success', 0]);
    assert.ok(first.body.signature);
    assert.equal(first.body.totalInputAmount, undefined);
    assert.equal((await world.execute(body)).body.totalInputAmount, '10000000');
  });

  it('attack: a free key posts its landed order again and again: the node has told the amounts already', async () => {
    const { requestId, transaction } = await orderOf();
    const { rpc } = world.deps.chain;
    const call = rpc.call;
    let asked = 0;
    rpc.call = ((method: string, ...rest: [never]) => {
      if (method === 'getTransaction') asked++;
      return call.call(rpc, method, ...rest);
    }) as never;
    const body = { requestId, signedTransaction: signed(transaction, taker) };
    const first = await world.execute(body);
    asked = 0;
    const others = await Promise.all(Array.from({ length: 20 }, () => world.execute(body)));
    rpc.call = call;
    for (const { body } of others) assert.deepEqual(body, first.body);
    assert.equal(first.body.totalInputAmount, '10000000');
    assert.equal(asked, 0);
  });

  it("attack: a stranger on the chain sends SOL to the address of the taker's new token account: the amounts are told without rent", async () => {
    for (const lamports of [0, 890_880, 2_039_280, 5_000_000]) {
      const fresh = await newWallet(world, SOL_1);
      const output = ata(fresh.address, USDC);
      if (lamports > 0) await world.rpc.call('requestAirdrop', [output, lamports]);
      const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000', taker: fresh.address };
      const { done } = await swap(world, { ...query, excludeRouters: 'jupiterz' }, fresh);
      assert.deepEqual([done.totalInputAmount, done.inputAmountResult], ['1000000', '1000000'], `${lamports} lamports`);
    }
  });

  it('is no success without the right signatures', async () => {
    const { requestId, transaction } = await orderOf();
    const missing = await world.execute({ requestId, signedTransaction: transaction });
    assert.deepEqual([missing.status, missing.body.status, missing.body.code], [200, 'Failed', -1003]);
    const { decoded: _, ...wrong } = decodeTransaction(Buffer.from(signed(transaction, taker), 'base64'));
    wrong.signatures[0]![0]! ^= 1;
    const invalid = await world.execute({
      requestId,
      signedTransaction: Buffer.from(encodeTransaction(wrong)).toString('base64'),
    });
    assert.deepEqual([invalid.body.status, invalid.body.code, invalid.body.slot], ['Failed', -1002, '0']);
  });

  it('fails with 6001 where the pool has moved, for good, and nothing is paid', async () => {
    const { requestId, transaction } = await orderOf({ slippageBps: 1 });
    const whale = await newWallet(world, SOL_1, [
      [USDC, 500_000n * USDC_1],
      [JUP, 500_000n * USDC_1],
    ]);
    const query = {
      ...sell,
      amount: '200000000000',
      taker: whale.address,
      excludeRouters: 'jupiterz',
      slippageBps: 10_000,
    };
    const moved = await world.order(query);
    const pushed = await world.execute({
      requestId: moved.body.requestId,
      signedTransaction: signed(moved.body.transaction!, whale),
    });
    assert.equal(pushed.body.status, 'Success', JSON.stringify(pushed.body));
    const old = await balances(world, taker.address);
    const { status, body } = await world.execute({ requestId, signedTransaction: signed(transaction, taker) });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.status, body.code, body.error, body.slot],
      ['Failed', 6001, 'Slippage tolerance exceeded', '0'],
    );
    assert.deepEqual(await balances(world, taker.address), old);

    // It could land once the price has come back, but its taker may have ordered again by then.
    const back = {
      inputMint: JUP.mint,
      outputMint: USDC.mint,
      amount: `${(BigInt(moved.body.outAmount) * 11n) / 10n}`,
    };
    await swap(world, { ...query, ...back }, whale);
    const later = await world.execute({ requestId, signedTransaction: signed(transaction, taker) });
    assert.deepEqual(later.body, body);
    assert.deepEqual(await balances(world, taker.address), old);
  });

  it('tells of a market maker in its own codes', async () => {
    const { requestId, transaction, order } = await orderOf({ excludeRouters: 'metis' });
    const unsigned = await world.execute({ requestId, signedTransaction: transaction });
    assert.deepEqual([unsigned.body.status, unsigned.body.code], ['Failed', -2002]);
    const swapsUntil = Number(order.expireAt) * 1_000;
    world.clock.setOffset(swapsUntil - Date.now() + 2_000);
    const late = await world.execute({ requestId, signedTransaction: signed(transaction, taker) });
    world.clock.setOffset(0);
    assert.deepEqual([late.body.status, late.body.code, late.body.error], ['Failed', -2003, 'Quote expired']);
    const { body } = await world.execute({ requestId, signedTransaction: signed(transaction, taker) });
    assert.equal(body.status, 'Success', 'it was not used up');
    const { order: next } = await orderOf({ excludeRouters: 'metis' });
    const { now } = world.clock;
    // It stands still: a busy machine takes longer than what is left.
    world.clock.now = () => Number(next.expireAt) * 1_000 - 3_000;
    const inTime = { requestId: next.requestId, signedTransaction: signed(next.transaction!, taker) };
    const { body: done } = await world.execute(inTime).finally(() => {
      world.clock.now = now;
    });
    assert.equal(done.status, 'Success', 'until expireAt it is handed over');
  });

  it('fails as expired when its blockhash is dead, and is unknown two minutes later', async () => {
    const { requestId, transaction } = await orderOf();
    const body = { requestId, signedTransaction: signed(transaction, taker) };
    await world.rpc.call('localnet_advanceClock', [90]);
    world.chain.forget();
    const expired = await world.execute(body);
    assert.deepEqual([expired.status, expired.body.status, expired.body.code], [200, 'Failed', -1005]);
    assert.equal(expired.body.error, 'Transaction expired');
    world.clock.setOffset(200_000);
    const gone = await world.execute(body);
    world.clock.setOffset(0);
    assert.deepEqual([gone.status, gone.body.code], [400, -1]);
    assert.equal(gone.body.error, 'Order not found, it might have expired');
  });
});

describe('what an order refuses', () => {
  let world: SwapWorld;
  let taker: Keypair;
  before(async () => {
    world = await openSwapWorld();
    taker = await newWallet(world, 10n * SOL_1, [[USDC, 1_000n * USDC_1]]);
  });
  after(() => world.close());

  it('is named by its field', async () => {
    const good = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000', taker: taker.address };
    const stranger = generateKeypair().address;
    const pool = (
      await world.order({ inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000', excludeRouters: 'jupiterz' })
    ).body.routePlan[0]!.swapInfo.ammKey;
    const gas = world.gasWallet;
    const cases: [Record<string, string | number>, RegExp][] = [
      [{ outputMint: SOL.mint }, /^outputMint: /],
      [{ inputMint: stranger }, /^inputMint: there is no such token/],
      [{ outputMint: pool }, /^outputMint: there is no such token/],
      [{ inputMint: 'SOL' }, /^inputMint: /],
      ...['0', '-5', '1.5', '01', '1e3', '', '18446744073709551616', '١'].map(
        (amount): [Record<string, string>, RegExp] => [{ amount }, /^amount: /],
      ),
      [{ taker: 'me' }, /^taker: /],
      [{ taker: USDC.mint }, /^taker: expected a wallet/],
      [{ receiver: pool }, /^receiver: expected a wallet/],
      [{ payer: USDC.mint }, /^payer: expected a wallet/],
      // A token account that does not exist yet.
      [{ outputMint: JUP.mint, receiver: ata(taker.address, JUP) }, /^receiver: expected a wallet/],
      [{ receiver: ata(taker.address, SOL) }, /^receiver: expected a wallet/],
      [{ taker: gas }, /^taker: .*gas wallet/],
      [{ receiver: gas }, /^receiver: .*gas wallet/],
      [{ payer: gas }, /^payer: .*gas wallet/],
      [{ closeAuthority: 'x' }, /^closeAuthority: /],
      [{ referralAccount: stranger }, /^referralFee: required/],
      [{ referralFee: 100 }, /^referralAccount: required/],
      [{ referralAccount: 'x', referralFee: 100 }, /^referralAccount: /],
      ...[49, 256, '50.5', 'x'].map((referralFee): [Record<string, string | number>, RegExp] => [
        { referralAccount: stranger, referralFee },
        /^referralFee: /,
      ]),
      [{ excludeRouters: 'metis,nobody' }, /^excludeRouters: /],
      [{ excludeRouters: 'constructor' }, /^excludeRouters: /],
      [{ excludeDexes: 'Raydium' }, /^excludeDexes: expected a comma list of Token Swap, Raydium CP, .*Whirlpool/],
      [{ slippageBps: 10_001 }, /^slippageBps: /],
      [{ slippageBps: -1 }, /^slippageBps: /],
      [{ broadcastFeeType: 'free' }, /^broadcastFeeType: /],
      [{ priorityFeeLamports: 0 }, /^priorityFeeLamports: /],
      [{ jitoTipLamports: 999 }, /^jitoTipLamports: /],
      [{ excludeRouters: 'iris,jupiterz,dflow,okx' }, /^Failed to get quotes: no router is left/],
      [{ excludeRouters: 'jupiterz', excludeDexes: 'raydium CP,Token+Swap' }, /^Failed to get quotes: metis: /],
    ];
    for (const [change, message] of cases) {
      const { status, body } = await world.order({ ...good, ...change });
      assert.equal(status, 400, JSON.stringify([change, body]));
      assert.match((body as unknown as { error: string }).error, message);
      assert.deepEqual(Object.keys(body), ['error']);
    }
  });

  it('is funds that are missing: the quote stands, with the reason and without a transaction', async () => {
    const poor = await newWallet(world, 20_000_000n, [[USDC, 5n]]);
    const sell = { inputMint: USDC.mint, outputMint: SOL.mint, amount: '1000000', taker: poor.address };
    for (const excludeRouters of ['metis', 'jupiterz']) {
      const { status, body } = await world.order({ ...sell, excludeRouters });
      assert.equal(status, 200);
      assert.deepEqual(
        [body.transaction, body.errorCode, body.errorMessage, body.signatureFeePayer],
        ['', 1, 'Insufficient funds', null],
      );
      assert.ok(BigInt(body.outAmount) > 0n);
    }
    for (const amount of [2n ** 64n - 1n, 2n ** 64n - 2_039_280n]) {
      const { status, body } = await world.order({
        inputMint: SOL.mint,
        outputMint: USDC.mint,
        amount: `${amount}`,
        taker: poor.address,
      });
      assert.deepEqual([status, body.transaction, body.errorCode], [200, '', 1], JSON.stringify(body));
    }
    const spent = await newWallet(world, 0n, [[USDC, 1_000_000n]]);
    const { body } = await world.order({ ...sell, taker: spent.address, slippageBps: 50, excludeRouters: 'jupiterz' });
    assert.deepEqual([body.transaction, body.errorCode], ['', 2]);
    assert.match(body.errorMessage!, /^Top up 0\.00\d+ SOL for gas$/);
    const buy = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '10000000', taker: taker.address };
    const payer = await newWallet(world, 0n);
    const { body: unpaid } = await world.order({ ...buy, payer: payer.address });
    assert.equal(unpaid.errorCode, 2, JSON.stringify(unpaid));
  });

  it('is a token that cannot be priced exactly, by its name', async () => {
    const mint = generateKeypair().address;
    const data = new Uint8Array(166 + 4 + 108);
    data.set(encodeMint({ decimals: 6, supply: 0n, initialized: true }));
    // The account is a mint, with a transfer fee (extension 1 of 108 bytes).
    data.set([1, 1, 0, 108, 0], 165);
    const account = { lamports: 10_000_000, owner: TOKEN_2022_PROGRAM, executable: false };
    await world.rpc.call('localnet_setAccount', [mint, { ...account, data: Buffer.from(data).toString('base64') }]);
    const { status, body } = await world.order({ inputMint: mint, outputMint: USDC.mint, amount: '1000' });
    assert.equal(status, 400);
    const { error } = body as unknown as { error: string };
    assert.match(error, /^Failed to get quotes: .*extension/);
    assert.ok(error.includes(mint));
  });

  it('is an output that would go to somebody else', async () => {
    const receiver = await newWallet(world, SOL_1);
    const { status, body } = await world.order({
      inputMint: USDC.mint,
      outputMint: SOL.mint,
      amount: '1000000',
      taker: taker.address,
      receiver: receiver.address,
    });
    assert.equal(status, 200, JSON.stringify(body));
    const nobody = generateKeypair().address;
    const small = {
      inputMint: USDC.mint,
      outputMint: SOL.mint,
      amount: '1000',
      taker: taker.address,
      receiver: nobody,
    };
    const refused = await world.order({ ...small, excludeRouters: 'jupiterz' });
    assert.equal(refused.status, 400);
    assert.match((refused.body as unknown as { error: string }).error, /^receiver: a wallet without SOL must get/);
  });
});
