import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Keypair,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenSyncNative,
} from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import {
  airdrop,
  askOrder,
  executeOrder,
  JUPUSD,
  lamportsOf,
  order,
  postExecute,
  SOL,
  send,
  setPrice,
  tokensIn,
  tokensOf,
  USDC,
} from './swap.js';
import { JUP, newWallet, signTransaction } from './wallet.js';

const ONE_SOL = 1_000_000_000n;

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

/** Lamports that the network, tips and rents take from the payer of an order of the aggregator, as the order says. */
const costOf = (made: { signatureFeeLamports: number; prioritizationFeeLamports: number; rentFeeLamports: number }) =>
  BigInt(made.signatureFeeLamports + made.prioritizationFeeLamports + made.rentFeeLamports);

describe('a swap order', () => {
  it('is a price alone without a taker', async () => {
    const made = await order(service, { inputMint: SOL, outputMint: USDC, amount: ONE_SOL });
    assert.equal(made.transaction, null);
    assert.equal(made.taker, null);
    assert.equal(made.inAmount, ONE_SOL.toString());
    assert.equal(made.otherAmountThreshold, made.outAmount);
    assert.equal(made.slippageBps, 0);
    const usd = Number(made.outAmount) / 1e6;
    assert.ok(usd > 145 && usd < 150.1, `1 SOL is ${usd} USDC`);
    assert.ok(Math.abs(made.inUsdValue! - 150) < 1);
  });

  it('gives by the aggregator exactly what it says, SOL for USDC', async () => {
    const taker = await newWallet(service, 10n * ONE_SOL, 0n);
    const made = await order(service, {
      inputMint: SOL,
      outputMint: USDC,
      amount: ONE_SOL,
      taker: taker.address,
      excludeRouters: 'jupiterz',
    });
    assert.equal(made.router, 'metis');
    assert.equal(made.signatureFeePayer, taker.address);
    const before = await lamportsOf(service, taker.address);

    const done = await executeOrder(service, made, taker);

    assert.deepEqual([done.status, done.code], ['Success', 0], done.error);
    assert.equal(await tokensOf(service, taker.address, USDC), BigInt(made.outAmount));
    assert.equal(await lamportsOf(service, taker.address), before - BigInt(made.inAmount) - costOf(made));
    assert.equal(done.totalInputAmount, made.inAmount);
    assert.equal(done.totalOutputAmount, made.outAmount);
    assert.match(done.slot!, /^[1-9]\d*$/);
    assert.equal(done.swapEvents?.at(0)?.inputMint, SOL);
    assert.equal(done.swapEvents?.at(-1)?.outputMint, USDC);
  });

  it('gives by the market maker exactly what it says, and costs the taker no fee', async () => {
    const taker = await newWallet(service, 10n * ONE_SOL, 0n);
    await airdrop(service, taker.address, 1n, USDC);
    const made = await order(service, {
      inputMint: SOL,
      outputMint: USDC,
      amount: ONE_SOL,
      taker: taker.address,
      excludeRouters: 'metis',
    });
    assert.equal(made.router, 'jupiterz');
    assert.equal(made.swapType, 'rfq');
    assert.equal(made.gasless, true);
    assert.ok(made.maker && made.quoteId && Number(made.expireAt) > Date.now() / 1_000);
    const before = await lamportsOf(service, taker.address);

    const done = await executeOrder(service, made, taker);

    assert.deepEqual([done.status, done.code], ['Success', 0], done.error);
    assert.equal(await tokensOf(service, taker.address, USDC), BigInt(made.outAmount) + 1n);
    assert.equal(await lamportsOf(service, taker.address), before - ONE_SOL);
    assert.equal(done.totalOutputAmount, made.outAmount);
  });

  it('gives by the market maker SOL for a token, too', async () => {
    const taker = await newWallet(service, ONE_SOL, 0n);
    await airdrop(service, taker.address, 500_000_000n, USDC);
    const made = await order(service, {
      inputMint: USDC,
      outputMint: SOL,
      amount: 300_000_000,
      taker: taker.address,
      excludeRouters: 'metis',
    });
    assert.equal(made.router, 'jupiterz');
    const before = await lamportsOf(service, taker.address);
    const done = await executeOrder(service, made, taker);
    assert.equal(done.status, 'Success', done.error);
    assert.equal(await lamportsOf(service, taker.address), before + BigInt(made.outAmount));
    assert.equal(await tokensOf(service, taker.address, USDC), 200_000_000n);
  });

  it('goes over two hops where no pool has both tokens', async () => {
    const taker = await newWallet(service, 10n * ONE_SOL, 0n);
    const made = await order(service, {
      inputMint: SOL,
      outputMint: JUPUSD,
      amount: 2n * ONE_SOL,
      taker: taker.address,
      excludeRouters: 'jupiterz',
    });
    const mints = new Set(made.routePlan.flatMap(({ swapInfo }) => [swapInfo.inputMint, swapInfo.outputMint]));
    assert.ok(mints.size >= 3, 'a token between');
    const before = await lamportsOf(service, taker.address);
    const done = await executeOrder(service, made, taker);
    assert.equal(done.status, 'Success', done.error);
    assert.equal(await tokensOf(service, taker.address, JUPUSD), BigInt(made.outAmount));
    assert.equal(await lamportsOf(service, taker.address), before - BigInt(made.inAmount) - costOf(made));
    for (const mint of [USDC, JUP]) assert.equal(await tokensOf(service, taker.address, mint), 0n);
  });

  it('lets another pay what the network takes, and gives the output to a receiver', async () => {
    const taker = await newWallet(service, 0n, 0n);
    const payer = await newWallet(service, ONE_SOL, 0n);
    const receiver = generateKeypair().address;
    await airdrop(service, taker.address, 200_000_000n, USDC);
    const made = await order(service, {
      inputMint: USDC,
      outputMint: JUP,
      amount: 100_000_000,
      taker: taker.address,
      payer: payer.address,
      receiver,
    });
    assert.equal(made.router, 'metis');
    assert.deepEqual([made.signatureFeePayer, made.rentFeePayer], [payer.address, payer.address]);
    assert.ok(made.rentFeeLamports > 0, "the receiver's account is made");

    const done = await executeOrder(service, made, taker, payer);

    assert.equal(done.status, 'Success', done.error);
    assert.equal(await tokensOf(service, receiver, JUP), BigInt(made.outAmount));
    assert.equal(await tokensOf(service, taker.address, JUP), 0n);
    assert.equal(await tokensOf(service, taker.address, USDC), 100_000_000n);
    assert.equal(await lamportsOf(service, taker.address), 0n);
    assert.equal(await lamportsOf(service, payer.address), ONE_SOL - costOf(made));
  });

  it('sends SOL natively to a receiver, and rent goes back to who lent it', async () => {
    const taker = await newWallet(service, ONE_SOL, 0n);
    const receiver = generateKeypair().address;
    await airdrop(service, taker.address, 200_000_000n, USDC);
    const made = await order(service, {
      inputMint: USDC,
      outputMint: SOL,
      amount: 150_000_000,
      taker: taker.address,
      receiver,
      excludeRouters: 'jupiterz',
    });
    const done = await executeOrder(service, made, taker);
    assert.equal(done.status, 'Success', done.error);
    assert.equal(await lamportsOf(service, receiver), BigInt(made.outAmount));
    assert.equal(await lamportsOf(service, taker.address), ONE_SOL - costOf(made));
  });

  it("pays an integrator's fee to the account of the referral", async () => {
    const taker = await newWallet(service, 10n * ONE_SOL, 0n);
    await airdrop(service, taker.address, 1_000_000_000n, USDC);
    const referral = generateKeypair().address;
    const parameters = { inputMint: USDC, outputMint: JUP, amount: 1_000_000_000, taker: taker.address };
    const without = await order(service, { ...parameters, referralAccount: referral, referralFee: 100 });
    assert.notEqual(without.feeBps, 100, 'there is no account for the fee yet');

    const account = createAssociatedTokenIdempotent({
      payer: taker.address,
      owner: referral,
      mint: USDC,
      tokenProgram: TOKEN_PROGRAM,
    });
    await send(service, taker, [account]);
    const made = await order(service, { ...parameters, referralAccount: referral, referralFee: 100 });
    assert.deepEqual([made.feeBps, made.feeMint, made.platformFee.feeBps], [100, USDC, 100]);
    const done = await executeOrder(service, made, taker);

    assert.equal(done.status, 'Success', done.error);
    assert.equal(made.platformFee.amount, '10000000');
    assert.equal(await tokensIn(service, associatedTokenAddress(referral, USDC)), 10_000_000n);
    assert.equal(await tokensOf(service, taker.address, JUP), BigInt(made.outAmount));
    assert.equal(BigInt(done.totalInputAmount!) - BigInt(done.inputAmountResult!), 10_000_000n);
  });

  it('leaves 5 wrapped SOL of the wallet as they are, in every direction', async () => {
    const taker = await newWallet(service, 50n * ONE_SOL, 0n);
    const wrapped = associatedTokenAddress(taker.address, SOL);
    await send(service, taker, [
      createAssociatedTokenIdempotent({
        payer: taker.address,
        owner: taker.address,
        mint: SOL,
        tokenProgram: TOKEN_PROGRAM,
      }),
      systemTransfer({ from: taker.address, to: wrapped, lamports: 5n * ONE_SOL }),
      tokenSyncNative({ account: wrapped }),
    ]);
    for (const excludeRouters of ['jupiterz', 'metis']) {
      for (const [inputMint, outputMint, amount] of [
        [SOL, USDC, ONE_SOL],
        [USDC, SOL, 50_000_000n],
      ] as const) {
        const made = await order(service, { inputMint, outputMint, amount, taker: taker.address, excludeRouters });
        const done = await executeOrder(service, made, taker);
        assert.equal(done.status, 'Success', done.error);
        assert.equal(await tokensIn(service, wrapped), 5n * ONE_SOL);
      }
    }
  });

  it('says what a taker lacks, beside the price', async () => {
    const poor = await newWallet(service, ONE_SOL, 0n);
    const made = await order(service, { inputMint: USDC, outputMint: SOL, amount: 5_000_000, taker: poor.address });
    assert.deepEqual([made.transaction, made.errorCode, made.errorMessage], ['', 1, 'Insufficient funds']);
    assert.ok(BigInt(made.outAmount) > 0n);
  });

  it('is paid for by the gas wallet where the taker has no SOL', async () => {
    const taker = await newWallet(service, 0n, 0n);
    await airdrop(service, taker.address, 100_000_000n, USDC);
    await airdrop(service, taker.address, 1n, JUP);
    const parameters = { inputMint: USDC, outputMint: JUP, taker: taker.address, excludeRouters: 'jupiterz' };
    const made = await order(service, { ...parameters, amount: 50_000_000 });
    assert.equal(made.gasless, true);
    assert.notEqual(made.signatureFeePayer, taker.address);
    assert.ok(made.feeBps > made.platformFee.feeBps, 'the network fee is part of the fee');
    const gasBefore = await lamportsOf(service, made.signatureFeePayer!);
    const done = await executeOrder(service, made, taker);
    assert.equal(done.status, 'Success', done.error);
    assert.equal(await tokensOf(service, taker.address, JUP), BigInt(made.outAmount) + 1n);
    assert.equal(await lamportsOf(service, taker.address), 0n);
    assert.equal(await lamportsOf(service, made.signatureFeePayer!), gasBefore - costOf(made));

    const small = await order(service, { ...parameters, amount: 1_000_000 });
    assert.deepEqual([small.transaction, small.errorCode], ['', 3]);
    assert.match(small.errorMessage!, /^Minimum .* for gasless$/);
  });

  it('names what is wrong with a request', async () => {
    const right = { inputMint: SOL, outputMint: USDC, amount: '1000000' };
    const wallet = generateKeypair().address;
    const cases: [Record<string, string>, RegExp][] = [
      [{ outputMint: SOL }, /outputMint/],
      [{ outputMint: wallet }, /outputMint/],
      [{ inputMint: 'nonsense' }, /inputMint/],
      [{ amount: '0' }, /amount/],
      [{ amount: '-5' }, /amount/],
      [{ amount: '1.5' }, /amount/],
      [{ amount: '1e9' }, /amount/],
      [{ amount: '18446744073709551616' }, /amount/],
      [{ taker: 'x' }, /taker/],
      [{ referralAccount: wallet, referralFee: '49' }, /referralFee/],
      [{ referralAccount: wallet, referralFee: '256' }, /referralFee/],
      [{ excludeRouters: 'metis,unheard' }, /excludeRouters/],
      [{ taker: wallet, receiver: 'y' }, /receiver/],
      [{ taker: wallet, receiver: associatedTokenAddress(wallet, USDC).slice(0, 30) }, /receiver/],
      [{ slippageBps: '10001' }, /slippageBps/],
      [{ jitoTipLamports: '999' }, /jitoTipLamports/],
      [{ broadcastFeeType: 'most' }, /broadcastFeeType/],
    ];
    for (const [change, says] of cases) {
      const { status, body } = await askOrder(service, { ...right, ...change });
      assert.equal(status, 400, JSON.stringify(change));
      assert.match(String(body.error), says, JSON.stringify(change));
    }
    const { status, body } = await askOrder(service, { ...right, excludeRouters: 'metis,jupiterz' });
    assert.equal(status, 400);
    assert.match(String(body.error), /Failed to get quotes/);
  });

  it('refuses to send the output into a token account', async () => {
    const taker = await newWallet(service, ONE_SOL, 1_000_000n);
    const receiver = associatedTokenAddress(taker.address, JUP);
    const { status, body } = await askOrder(service, {
      inputMint: SOL,
      outputMint: JUP,
      amount: 1_000_000,
      taker: taker.address,
      receiver,
    });
    assert.equal(status, 400);
    assert.match(String(body.error), /receiver/);
  });
});

describe('executing an order', () => {
  let taker: Keypair;
  before(async () => {
    taker = await newWallet(service, 1_000n * ONE_SOL, 0n);
  });
  const soldSol = (more: Record<string, string | number> = {}) =>
    order(service, {
      inputMint: SOL,
      outputMint: USDC,
      amount: ONE_SOL,
      taker: taker.address,
      excludeRouters: 'jupiterz',
      ...more,
    });

  it('answers its codes', async () => {
    const made = await soldSol();
    const signedTransaction = signTransaction(made.transaction!, taker);
    const other = await soldSol({ amount: 5_000_000 });
    const cases: [Record<string, unknown>, number][] = [
      [{ signedTransaction }, -4],
      [{ requestId: made.requestId }, -5],
      [{ requestId: made.requestId, signedTransaction: 'AAAA' }, -2],
      [{ requestId: made.requestId, signedTransaction: '#' }, -2],
      [{ requestId: '0193-unknown', signedTransaction }, -1],
      [{ requestId: other.requestId, signedTransaction }, -3],
    ];
    for (const [body, code] of cases) {
      const answer = await postExecute(service, body);
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.status],
        [400, code, undefined],
        JSON.stringify(body),
      );
      assert.ok(answer.body.error);
    }
    const unsigned = await postExecute(service, { requestId: made.requestId, signedTransaction: made.transaction });
    assert.equal(unsigned.body.code, -1003);
    // None of it has used the request up.
    const done = await postExecute(service, { requestId: made.requestId, signedTransaction });
    assert.equal(done.body.status, 'Success', done.body.error);
  });

  it('lands once however many post, and says the same to each, and again later', async () => {
    const made = await soldSol();
    const body = { signedTransaction: signTransaction(made.transaction!, taker), requestId: made.requestId };
    const before = await tokensOf(service, taker.address, USDC);
    const answers = await Promise.all(Array.from({ length: 20 }, () => postExecute(service, body)));
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]!.body);
    assert.equal(answers[0]!.body.status, 'Success');
    assert.equal(await tokensOf(service, taker.address, USDC), before + BigInt(made.outAmount));
    assert.deepEqual((await postExecute(service, body)).body, answers[0]!.body);
  });

  it('lands both of two orders that ask for the same', async () => {
    const before = await tokensOf(service, taker.address, USDC);
    const [one, two] = await Promise.all([soldSol(), soldSol()]);
    const done = [await executeOrder(service, one!, taker), await executeOrder(service, two!, taker)];
    assert.deepEqual(
      done.map(({ status }) => status),
      ['Success', 'Success'],
    );
    assert.notEqual(done[0]!.signature, done[1]!.signature);
    const gained = done.reduce((sum, { totalOutputAmount }) => sum + BigInt(totalOutputAmount!), before);
    assert.equal(await tokensOf(service, taker.address, USDC), gained);
  });

  it('fails with 6001 when the market has moved, and nothing but a fee at most is lost', async () => {
    const made = await soldSol({ slippageBps: 10 });
    await setPrice(service, SOL, 120);
    try {
      const [usdc, sol] = [await tokensOf(service, taker.address, USDC), await lamportsOf(service, taker.address)];
      const done = await executeOrder(service, made, taker);
      assert.deepEqual([done.status, done.code, done.error], ['Failed', 6001, 'Slippage tolerance exceeded']);
      assert.equal(await tokensOf(service, taker.address, USDC), usdc);
      assert.ok(sol - (await lamportsOf(service, taker.address)) <= costOf(made));
    } finally {
      await setPrice(service, SOL, 150);
    }
  });

  it('says that it is too late', async () => {
    const made = await soldSol();
    const signedTransaction = signTransaction(made.transaction!, taker);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 90 } });
    const { body } = await postExecute(service, { signedTransaction, requestId: made.requestId });
    assert.deepEqual([body.code, body.error], [-1005, 'Transaction expired']);
  });

  it('refuses a maker quote that has run out', async () => {
    const made = await soldSol({ excludeRouters: 'metis' });
    const signedTransaction = signTransaction(made.transaction!, taker);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 45 } });
    const { body } = await postExecute(service, { signedTransaction, requestId: made.requestId });
    assert.equal(body.code, -2003, body.error);
  });
});

describe('a moved price', () => {
  it('moves the pools, the maker and the USD values', async () => {
    await setPrice(service, JUP, 0.84);
    try {
      for (const excludeRouters of ['jupiterz', 'metis']) {
        const made = await order(service, { inputMint: JUP, outputMint: USDC, amount: 100_000_000, excludeRouters });
        const usd = Number(made.outAmount) / 1e6;
        assert.ok(Math.abs(usd - 84) < 84 * 0.01, `${made.router}: 100 JUP are ${usd} USDC`);
        assert.ok(Math.abs(made.inUsdValue! - 84) < 0.01);
      }
    } finally {
      await setPrice(service, JUP, 0.42);
    }
  });
});
