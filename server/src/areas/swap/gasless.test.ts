import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, decodeTransaction, encodeTransaction, type Keypair, requiredSigners } from '@slipway/wire';
import fc from 'fast-check';
import type { PriceSource } from '../../config/index.js';
import { claimMany, findRequest, insertCrafted, settleMany } from '../../store/ledger.js';
import type { OrderAnswer } from './schema.js';
import {
  balances,
  JUP,
  newWallet,
  openFeeAccount,
  openSwapWorld,
  SOL,
  type SwapWorld,
  signed,
  USD,
  USDC,
} from './testing.js';

const USDC_1 = 1_000_000n;

describe('a swap whose gas the service pays', () => {
  let world: SwapWorld;
  before(async () => {
    world = await openSwapWorld();
    for (const token of [SOL, USDC, JUP]) await openFeeAccount(world, world.gasWallet, token);
  });
  after(() => world.close());

  const sell = (taker: Keypair, change: Record<string, string | number> = {}) => ({
    inputMint: USDC.mint,
    outputMint: JUP.mint,
    amount: '20000000',
    taker: taker.address,
    excludeRouters: 'jupiterz',
    ...change,
  });

  // Runs first, because the trades of the other tests move the pools.
  it('is left to a market maker who gives more, and then the gas wallet does not sign', async () => {
    const taker = await newWallet(world, 0n, [
      [USDC, 100n * USDC_1],
      [JUP, 1n],
    ]);
    const { body } = await world.order(sell(taker, { excludeRouters: 'dflow' }));
    assert.equal(body.router, 'jupiterz');
    assert.equal(body.feeBps, body.platformFee.feeBps);
    const { decoded } = decodeTransaction(Buffer.from(body.transaction!, 'base64'));
    assert.equal(requiredSigners(decoded).includes(world.gasWallet), false);
  });

  it('costs the gas wallet what was quoted, gives it back more in fees, and the taker nothing but the input', async () => {
    const anyTrade = fc.record({
      pair: fc.constantFrom([USDC, JUP] as const, [JUP, USDC] as const, [USDC, SOL] as const, [JUP, SOL] as const),
      usd: fc.integer({ min: 11, max: 900 }),
      hasOutput: fc.boolean(),
      lamports: fc.constantFrom(0n, 1_000_000n, 9_999_999n),
    });
    await fc.assert(
      fc.asyncProperty(anyTrade, async ({ pair: [input, output], usd, hasOutput, lamports }) => {
        const amount = BigInt(Math.floor((usd / USD.get(input.mint)!) * 10 ** input.decimals));
        const makesAccount = !hasOutput && output !== SOL;
        const taker = await newWallet(world, lamports, [
          [input, amount],
          ...(output !== SOL && !makesAccount ? [[output, 1n] as [typeof SOL, bigint]] : []),
          [SOL, 5_000_000_000n],
        ]);
        const old = { taker: await balances(world, taker.address), gas: await balances(world, world.gasWallet) };
        const query = { inputMint: input.mint, outputMint: output.mint, amount: amount.toString() };
        const { body } = await world.order(sell(taker, query));
        assert.equal(body.gasless, true, JSON.stringify(body));
        assert.deepEqual(
          [body.signatureFeePayer, body.prioritizationFeePayer, body.rentFeePayer],
          [world.gasWallet, world.gasWallet, world.gasWallet],
        );
        assert.ok(body.feeBps > body.platformFee.feeBps);
        const { body: done } = await world.execute({
          requestId: body.requestId,
          signedTransaction: signed(body.transaction!, taker),
        });
        assert.equal(done.status, 'Success', JSON.stringify(done));
        const now = { taker: await balances(world, taker.address), gas: await balances(world, world.gasWallet) };
        const cost = old.gas.sol - now.gas.sol;
        const quoted = body.signatureFeeLamports + body.prioritizationFeeLamports + body.rentFeeLamports;
        assert.equal(cost, BigInt(quoted));
        assert.equal(body.rentFeeLamports, makesAccount ? 2_039_280 : 0);
        const gained =
          (Number(now.gas.usdc - old.gas.usdc) / 1e6) * 1 +
          (Number(now.gas.jup - old.gas.jup) / 1e6) * USD.get(JUP.mint)! +
          (Number(now.gas.wrapped! - old.gas.wrapped!) / 1e9) * USD.get(SOL.mint)!;
        // Less the rounding of the smallest unit, and the difference between the pools' prices and the known ones.
        assert.ok(gained > (Number(cost) / 1e9) * USD.get(SOL.mint)! * 0.97, `${gained} USD for ${cost} lamports`);
        const of = (token: typeof SOL) =>
          token === USDC
            ? now.taker.usdc - old.taker.usdc
            : token === JUP
              ? now.taker.jup - old.taker.jup
              : now.taker.sol - old.taker.sol;
        assert.equal(of(output), BigInt(body.outAmount));
        assert.equal(of(input), -BigInt(body.inAmount));
        assert.equal(now.taker.wrapped, old.taker.wrapped);
        if (output !== SOL) assert.equal(now.taker.sol, old.taker.sol);
      }),
      { numRuns: 12, includeErrorInReport: true },
    );
  });

  it('is not had for a small trade, and the answer says from when on', async () => {
    const taker = await newWallet(world, 0n, [[USDC, 9n * USDC_1]]);
    const { body } = await world.order(sell(taker, { amount: '9000000' }));
    assert.deepEqual([body.transaction, body.errorCode, body.gasless], ['', 3, false]);
    assert.equal(body.errorMessage, 'Minimum $10 for gasless');
    assert.equal(body.feeBps, body.platformFee.feeBps);
  });

  it('attack: somebody who moves pools has gas paid by the word of one: the fee must be worth the gas at a price of another source', async () => {
    const taker = await newWallet(world, 0n, [[JUP, 40_000n * USDC_1]]);
    const toUsdc = (jup: string) => sell(taker, { inputMint: JUP.mint, outputMint: USDC.mint, amount: jup });
    const ask = async (amount: string) => (await world.order(toUsdc(amount))).body;
    const known = world.priceOf.get(JUP.mint)!;
    const dollar = Math.floor(1e6 / known.usd);
    assert.equal((await ask(`${20 * dollar}`)).gasless, true);
    try {
      // A pool that reports a hundred times the price, for one dollar's worth and for twenty.
      world.priceOf.set(JUP.mint, { usd: known.usd * 100, source: 'pools' });
      for (const usd of [1, 20]) {
        const body = await ask(`${usd * dollar}`);
        assert.deepEqual([body.gasless, body.transaction, body.errorCode], [false, '', 2], JSON.stringify(body));
        assert.match(body.errorMessage!, /^Top up 0\.00\d+ SOL for gas$/);
        assert.equal(body.feeBps, body.platformFee.feeBps);
      }
      world.priceOf.set(JUP.mint, { ...known, source: 'pools' });
      assert.equal((await ask(`${20 * dollar}`)).gasless, true, 'the fee is in USDC, and pays');
      for (const mint of [USDC.mint, SOL.mint]) {
        const trusted = world.priceOf.get(mint)!;
        world.priceOf.set(mint, { ...trusted, source: 'pools' });
        const body = await ask(`${20 * dollar}`);
        assert.deepEqual([body.gasless, body.errorCode], [false, 2]);
        world.priceOf.set(mint, trusted);
      }
    } finally {
      world.priceOf.set(JUP.mint, known);
    }
  });

  it('is left to a taker who has enough for the gas, where the gas wallet would not get it back', async () => {
    const taker = await newWallet(world, 9_000_000n, [[JUP, 40_000n * USDC_1]]);
    const known = world.priceOf.get(JUP.mint)!;
    world.priceOf.set(JUP.mint, { usd: known.usd * 100, source: 'pools' });
    const { body } = await world.order(sell(taker, { inputMint: JUP.mint, outputMint: USDC.mint, amount: '1000000' }));
    world.priceOf.set(JUP.mint, known);
    assert.deepEqual([body.gasless, body.signatureFeePayer], [false, taker.address], JSON.stringify(body));
  });

  it('says that the trade is too small only where it is', async () => {
    const taker = await newWallet(world, 0n, [[USDC, 100n * USDC_1]]);
    const sol = world.priceOf.get(SOL.mint)!;
    world.priceOf.delete(SOL.mint);
    const { body } = await world.order(sell(taker));
    world.priceOf.set(SOL.mint, sol);
    assert.equal(body.errorCode, 2, JSON.stringify(body));
    assert.match(body.errorMessage!, /^Top up /);
  });

  describe('attack: a price feed says a wrong price, or a pool does, so that nearly all of a trade pays its gas', () => {
    const THREE_THOUSAND = BigInt(Math.floor((3_000 / USD.get(JUP.mint)!) * 1e6));
    const toUsdc = { inputMint: JUP.mint, outputMint: USDC.mint, amount: `${THREE_THOUSAND}` };

    async function priced<T>(mint: Address, usd: number, source: PriceSource, then: () => Promise<T>): Promise<T> {
      const known = world.priceOf.get(mint)!;
      world.priceOf.set(mint, { usd, source });
      return then().finally(() => world.priceOf.set(mint, known));
    }

    it('a pool, a 290th of the price of what is sold, in a busy minute: no more than twice the gas is taken, at a price of another source', async (t) => {
      const taker = await newWallet(world, 0n, [[JUP, THREE_THOUSAND]]);
      t.mock.method(world.chain, 'computeUnitPrice', async () => 400_000n);
      const usd = USD.get(JUP.mint)!;
      const known = (await world.order(sell(taker, toUsdc))).body;
      assert.deepEqual([known.gasless, known.feeBps - known.platformFee.feeBps], [true, 2]);
      const asked = () => world.order(sell(taker, toUsdc));
      const { body } = await priced(JUP.mint, usd / 290, 'pools', asked);
      assert.deepEqual([body.gasless, body.transaction, body.errorCode], [false, '', 2], JSON.stringify(body));
      assert.equal(body.feeBps, body.platformFee.feeBps);
    });

    it('a feed, any number of times the price of SOL: gas is 10 % at most', async () => {
      const sol = USD.get(SOL.mint)!;
      let paid = 0;
      for (const times of [1, 3, 30, 1_000, 100_000]) {
        for (const amount of [20n * USDC_1, 300n * USDC_1]) {
          const taker = await newWallet(world, 0n, [[USDC, amount]]);
          const { body } = await priced(SOL.mint, sol * times, 'hermes', () =>
            world.order(sell(taker, { amount: `${amount}` })),
          );
          if (!body.gasless) assert.equal(body.errorCode, 2, JSON.stringify(body));
          assert.ok(body.feeBps - body.platformFee.feeBps <= 1_000, `${times} times: ${body.feeBps}`);
          if (body.gasless) paid++;
        }
      }
      assert.equal(paid, 5);
    });

    it('a feed, of SOL or of what pays the fee, which deep pools contradict: gas is not paid by that', async () => {
      const taker = await newWallet(world, 0n, [[USDC, 300n * USDC_1]]);
      for (const { mint } of [SOL, USDC]) {
        const usd = USD.get(mint)!;
        for (const [times, gasless] of [
          [1.04, true],
          [1.06, false],
          [0.94, false],
          [1_000, false],
        ] as const) {
          world.witnessOf.set(mint, usd);
          const asked = () => world.order(sell(taker, { amount: `${300n * USDC_1}` }));
          const { body } = await priced(mint, usd * times, 'hermes', asked).finally(() => world.witnessOf.clear());
          assert.deepEqual([body.gasless, body.errorCode], [gasless, gasless ? undefined : 2], `${times} times`);
        }
      }
    });
  });

  it('is for those only who set nothing by themselves and have no SOL', async () => {
    const poor = await newWallet(world, 9_000_000n, [[USDC, 100n * USDC_1]]);
    const rich = await newWallet(world, 10_000_000n, [[USDC, 100n * USDC_1]]);
    const payer = await newWallet(world, 1_000_000_000n);
    for (const query of [
      sell(rich),
      sell(poor, { slippageBps: 50 }),
      sell(poor, { payer: payer.address }),
      sell(poor, { referralAccount: payer.address, referralFee: 100 }),
    ]) {
      const { body } = await world.order(query);
      const { decoded } = decodeTransaction(Buffer.from(body.transaction!, 'base64'));
      assert.equal(requiredSigners(decoded).includes(world.gasWallet), false, JSON.stringify(query));
    }
  });

  it("is only the rent of the output's account with a market maker, and comes back, too", async () => {
    const taker = await newWallet(world, 0n, [[USDC, 100n * USDC_1]]);
    const old = await balances(world, world.gasWallet);
    const { body } = await world.order(sell(taker, { excludeRouters: 'metis' }));
    assert.deepEqual([body.router, body.rentFeePayer, body.rentFeeLamports], ['jupiterz', world.gasWallet, 2_039_280]);
    assert.equal(body.signatureFeePayer, body.maker);
    const signedTransaction = signed(body.transaction!, taker);
    const { body: done } = await world.execute({ requestId: body.requestId, signedTransaction });
    assert.equal(done.status, 'Success', JSON.stringify(done));
    const now = await balances(world, world.gasWallet);
    assert.equal(old.sol - now.sol, 2_039_280n);
    assert.ok(Number(now.usdc - old.usdc) / 1e6 > 0.00203928 * USD.get(SOL.mint)!);
    const { sol, jup, usdc } = await balances(world, taker.address);
    assert.deepEqual([sol, jup, usdc], [0n, BigInt(body.outAmount), 100n * USDC_1 - BigInt(body.inAmount)]);
  });

  it('attack: a wallet bends an order whose gas is paid: nothing but the order itself gets the signature of the gas wallet', async () => {
    const taker = await newWallet(world, 0n, [[USDC, 100n * USDC_1]]);
    const { body: order } = await world.order(sell(taker));
    const before = await balances(world, world.gasWallet);
    const good = decodeTransaction(Buffer.from(signed(order.transaction!, taker), 'base64'));
    const post = async (change: (transaction: { message: Uint8Array; signatures: Uint8Array[] }) => void) => {
      const copy = {
        message: Uint8Array.from(good.message),
        signatures: good.signatures.map((one) => Uint8Array.from(one)),
      };
      change(copy);
      const signedTransaction = Buffer.from(encodeTransaction(copy)).toString('base64');
      return (await world.execute({ requestId: order.requestId, signedTransaction })).body;
    };
    for (let at = 4; at < good.message.length; at += 37) {
      const { status } = await post(({ message }) => {
        message[at]! ^= 0xff;
      });
      assert.notEqual(status, 'Success');
    }
    assert.notEqual((await post(({ signatures }) => signatures[1]!.fill(0))).status, 'Success');
    assert.notEqual((await post(({ signatures }) => signatures[1]!.fill(7))).status, 'Success');
    assert.deepEqual(await balances(world, world.gasWallet), before);
    // What is in the place of its own signature does not matter.
    assert.equal((await post(({ signatures }) => signatures[0]!.fill(7))).status, 'Success');
  });

  it('is paid for one order of a taker at a time, however many are posted at once', async () => {
    const taker = await newWallet(world, 0n, [
      [USDC, 45n * USDC_1],
      [JUP, 1n],
    ]);
    const orders: OrderAnswer[] = [];
    // Not the same amounts: within one block those would be the same transaction.
    for (let more = 0; more < 6; more++)
      orders.push((await world.order(sell(taker, { amount: `${20_000_000 + more}` }))).body);
    const before = await balances(world, world.gasWallet);
    const post = ({ requestId, transaction }: OrderAnswer) =>
      world.execute({ requestId, signedTransaction: signed(transaction!, taker) });
    const answers: Awaited<ReturnType<typeof post>>['body'][] = [];
    let answered = 0;
    const posts = orders.map(async (order, at) => {
      answers[at] = (await post(order)).body;
      answered++;
    });
    // Whatever is let through stays under way until all others have their answers.
    const sent = new Set<string>();
    world.sending.after = async (wire) => {
      sent.add(wire);
      while (answered + sent.size < orders.length) await delay(5);
    };
    await Promise.all(posts);
    const landed = answers.filter(({ status }) => status === 'Success');
    assert.equal(landed.length, 1, JSON.stringify(answers));
    for (const { code, error, slot } of answers.filter(({ status }) => status === 'Failed')) {
      assert.deepEqual([code, slot], [-1002, '0']);
      assert.match(error!, /^another transaction of this wallet that the service pays for is under way/);
    }
    const paid = orders[answers.indexOf(landed[0]!)]!;
    const { sol } = await balances(world, world.gasWallet);
    assert.equal(before.sol - sol, BigInt(paid.signatureFeeLamports + paid.prioritizationFeeLamports));
    const [next] = orders.filter((order) => order !== paid);
    assert.equal((await post(next!)).body.status, 'Success', 'a refused post does not use the order up');
  });

  it('attack: a wallet has its order fail on the chain: its gas is not paid for ten minutes, not even of an order made before', async () => {
    const taker = await newWallet(world, 0n, [
      [USDC, 100n * USDC_1],
      [JUP, 1n],
    ]);
    const failing = (await world.order(sell(taker))).body;
    const waiting = (await world.order(sell(taker, { amount: '20000001' }))).body;
    assert.ok(failing.gasless && waiting.gasless);
    await failOnChain(world, failing.requestId);
    const signedTransaction = signed(waiting.transaction!, taker);
    const { body: refused } = await world.execute({ requestId: waiting.requestId, signedTransaction });
    assert.deepEqual([refused.status, refused.slot], ['Failed', '0']);
    assert.match(refused.error!, /^a transaction of this wallet that the service paid for has failed/);
    const { body } = await world.order(sell(taker));
    assert.deepEqual([body.gasless, body.errorCode], [false, 2], JSON.stringify(body));
    world.clock.setOffset(world.clock.offsetMs + 11 * 60_000);
    const { body: again } = await world.order(sell(taker));
    world.clock.setOffset(world.clock.offsetMs - 11 * 60_000);
    assert.equal(again.gasless, true);
  });

  it('attack: a wallet posts an order when its blockhash has hardly a block left, so that it counts in the signer and lands nowhere: nothing is signed', async (t) => {
    const { chain, signer } = world;
    const taker = await newWallet(world, 0n, [[USDC, 40n * USDC_1]]);
    const { body: order } = await world.order(sell(taker));
    assert.ok(order.gasless);
    const { lastValidBlockHeight } = (await findRequest(world.store, order.requestId))!;
    const cosign = t.mock.method(signer, 'cosign');
    const height = t.mock.method(chain, 'blockHeight', async () => lastValidBlockHeight - 14n);
    const post = async ({ requestId, transaction }: OrderAnswer) =>
      (await world.execute({ requestId, signedTransaction: signed(transaction!, taker) })).body;
    for (let tries = 0; tries < 2; tries++) {
      const { status, code, error } = await post(order);
      assert.deepEqual([status, code, error], ['Failed', -1005, 'Transaction expired']);
    }
    assert.equal(cosign.mock.callCount(), 0);
    const { body: next } = await world.order(sell(taker));
    const row = (await findRequest(world.store, next.requestId))!;
    height.mock.mockImplementation(async () => row.lastValidBlockHeight - 15n);
    assert.equal((await post(next)).status, 'Success');
    assert.equal(cosign.mock.callCount(), 1);
  });

  it('attack: a wallet has orders signed that their market maker then denies, so that what the signer may sign for in an hour is used up: one in ten minutes', async () => {
    const taker = await newWallet(world, 0n, [[USDC, 20n * USDC_1]]);
    const byMaker = (more: number) => sell(taker, { amount: `${15_000_000 + more}`, excludeRouters: 'metis' });
    const orders: OrderAnswer[] = [];
    for (let more = 0; more < 10; more++) orders.push((await world.order(byMaker(more))).body);
    for (const { rentFeePayer } of orders) assert.equal(rentFeePayer, world.gasWallet);
    const { deliver, landing } = world.deps;
    const lost = async () => {
      const readings = await landing.losses();
      return ['gas', 'gas-handed-over'].map((purse) => readings.find(({ name }) => name === purse)!.lost);
    };
    const [failed, denied] = (await lost()) as [number, number];
    let [handedOver, answered] = [0, 0];
    // Whatever is handed over is denied when all others have their answers.
    world.deps.deliver = () => async () => {
      handedOver++;
      while (answered + handedOver < orders.length) await delay(5);
      return { outcome: 'rejected', code: -2003, message: 'it would fail' };
    };
    const post = async ({ requestId, transaction }: OrderAnswer) => {
      const { body } = await world.execute({ requestId, signedTransaction: signed(transaction!, taker) });
      answered++;
      return body;
    };
    try {
      const answers = await Promise.all(orders.map(post));
      assert.equal(handedOver, 1, JSON.stringify(answers));
      assert.deepEqual(answers.filter(({ code }) => code === -2003).length, 1);
      const [next] = orders.filter((_, at) => answers[at]!.code === -1002);
      assert.match((await post(next!)).error!, /^a transaction of this wallet that the service paid for has failed/);
      assert.equal(handedOver, 1);
    } finally {
      world.deps.deliver = deliver;
    }
    assert.deepEqual(await lost(), [failed, denied + 1], 'the operator sees it');
    const { body } = await world.order(byMaker(20));
    assert.deepEqual([body.gasless, body.errorCode], [false, 2], JSON.stringify(body));
    assert.equal((await world.order(sell(taker))).body.gasless, true, 'no fee was lost');
    world.clock.setOffset(world.clock.offsetMs + 11 * 60_000);
    const { body: again } = await world.order(byMaker(21));
    world.clock.setOffset(world.clock.offsetMs - 11 * 60_000);
    assert.equal(again.rentFeePayer, world.gasWallet);
  });

  it('is not paid for a new wallet when it has been lost 150 times within an hour', async () => {
    const [taker, other] = [await newWallet(world, 0n, [[USDC, 100n * USDC_1]]), await newWallet(world, 0n)];
    const ready = (await world.order(sell(taker))).body;
    const { rows } = await world.store.query<{ payload: unknown }>('select payload from ledger limit 1');
    for (let count = 0; count < 150; count++) {
      const [id, now] = [`lost ${count}`, new Date(world.clock.now())];
      const row = { id, area: 'swap', wallet: other.address, cosigners: ['gas'], payload: rows[0]!.payload };
      const crafted = { ...row, messageHash: new Uint8Array(32), lastValidBlockHeight: 1n, createdAt: now };
      await world.store.transaction((tx) => insertCrafted(tx, [{ ...crafted, expiresAt: now }]));
      await failOnChain(world, id);
    }
    assert.equal((await world.order(sell(taker))).body.gasless, false);
    const signedTransaction = signed(ready.transaction!, taker);
    const { body } = await world.execute({ requestId: ready.requestId, signedTransaction });
    assert.match(body.error!, /^too many transactions that the service paid for have failed/);
  });
});

/** Pretends that the order was sent, and failed at the cost of its fee payer. */
async function failOnChain({ store, clock }: SwapWorld, id: string): Promise<void> {
  const now = new Date(clock.now());
  await store.transaction(async (tx) => {
    const wire = new Uint8Array([1]);
    await claimMany(tx, [{ id, signature: `failed ${id}`, wire, sentAt: now }]);
    await settleMany(tx, [{ id, event: 'failed', slot: 5n, error: 'AccountInUse', settledAt: now }]);
  });
}
