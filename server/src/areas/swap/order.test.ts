import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  decompileInstructions,
  generateKeypair,
  type Keypair,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseSystemTransfer,
} from '@slipway/wire';
import fc from 'fast-check';
import {
  balances,
  JUP,
  newWallet,
  openFeeAccount,
  openSwapWorld,
  richWallet,
  SOL,
  type SwapWorld,
  swap,
  TIP_ACCOUNT,
  USDC,
} from './testing.js';

const SOL_1 = 1_000_000_000n;
const USDC_1 = 1_000_000n;
const ROUTERS = ['metis', 'jupiterz'] as const;
const except = (router: string) => ROUTERS.filter((each) => each !== router).join(',');

describe('a swap order', () => {
  let world: SwapWorld;
  before(async () => {
    world = await openSwapWorld();
  });
  after(() => world.close());

  it('is a quote only without a taker: nobody pays, and nothing is given up', async () => {
    const amount = 1_000_000_000;
    const { status, body } = await world.order({ inputMint: SOL.mint, outputMint: USDC.mint, amount });
    assert.equal(status, 200);
    const { transaction, taker, slippageBps, signatureFeePayer, prioritizationFeePayer, rentFeePayer } = body;
    assert.deepEqual(
      { transaction, taker, slippageBps, signatureFeePayer, prioritizationFeePayer, rentFeePayer },
      {
        transaction: null,
        taker: null,
        slippageBps: 0,
        signatureFeePayer: null,
        prioritizationFeePayer: null,
        rentFeePayer: null,
      },
    );
    assert.equal(body.otherAmountThreshold, body.outAmount);
    assert.equal(body.signatureFeeLamports + body.prioritizationFeeLamports + body.rentFeeLamports, 0);
    assert.equal(body.feeMint, SOL.mint);
    assert.ok(Math.abs(body.inUsdValue! - 150) < 0.01);
    assert.equal(body.mode, 'ultra');
  });

  it('says what each pool keeps, in the token that goes in; a market maker keeps nothing beside its rate', async () => {
    const wanted = { inputMint: JUP.mint, outputMint: USDC.mint, amount: 1_000_000_000 };
    const { body } = await world.order({ ...wanted, excludeRouters: except('metis') });
    for (const { swapInfo } of body.routePlan) {
      const kept = Number(swapInfo.feeAmount) / Number(swapInfo.inAmount);
      assert.ok(kept > 0.0004 && kept < 0.0101, `${kept}`);
      assert.equal(swapInfo.feeMint, swapInfo.inputMint);
    }
    const made = await world.order({ ...wanted, excludeRouters: except('jupiterz') });
    assert.deepEqual(
      made.body.routePlan.map(({ swapInfo }) => swapInfo.feeAmount),
      ['0'],
    );
  });

  it('gives and takes exactly what it says, over random pairs, amounts, routers, receivers and payers', async () => {
    const tokens = [SOL, USDC, JUP];
    const anyOrder = fc.record({
      pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
      amount: fc.bigInt({ min: 20_000n, max: 400n * USDC_1 }),
      router: fc.constantFrom(...ROUTERS),
      foreignReceiver: fc.boolean(),
      withPayer: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyOrder, async ({ pair, amount, router, foreignReceiver, withPayer }) => {
        const [input, output] = pair as [typeof SOL, typeof SOL];
        const payer = withPayer && router === 'metis' ? await newWallet(world, SOL_1) : undefined;
        const taker = await richWallet(world);
        const receiver = foreignReceiver ? await newWallet(world, SOL_1) : taker;
        const old = await everybody(taker, receiver, payer);
        const { order, done } = await swap(
          world,
          {
            inputMint: input.mint,
            outputMint: output.mint,
            amount: amount.toString(),
            taker: taker.address,
            excludeRouters: except(router),
            ...(foreignReceiver && { receiver: receiver.address }),
            ...(payer && { payer: payer.address }),
          },
          ...[taker, ...(payer ? [payer] : [])],
        );
        const now = await everybody(taker, receiver, payer);
        assert.equal(order.router, router);
        const paid = (who: string | null, lamports: number, wallet: Address) =>
          who === wallet ? BigInt(lamports) : 0n;
        const gasOf = (wallet: Address) =>
          paid(order.signatureFeePayer, order.signatureFeeLamports, wallet) +
          paid(order.prioritizationFeePayer, order.prioritizationFeeLamports, wallet) +
          paid(order.rentFeePayer, order.rentFeeLamports, wallet);
        const moved = (mint: Address, who: 'taker' | 'receiver') => {
          const gained = foreignReceiver ? who === 'receiver' : true;
          const out = mint === output.mint && gained ? BigInt(order.outAmount) : 0n;
          return out - (mint === input.mint && who === 'taker' ? BigInt(order.inAmount) : 0n);
        };
        for (const who of foreignReceiver ? (['taker', 'receiver'] as const) : (['taker'] as const)) {
          const wallet = who === 'taker' ? taker : receiver;
          assert.equal(now[who].usdc - old[who].usdc, moved(USDC.mint, who), `USDC of the ${who}`);
          assert.equal(now[who].jup - old[who].jup, moved(JUP.mint, who), `JUP of the ${who}`);
          const sol = moved(SOL.mint, who) - gasOf(wallet.address);
          assert.equal(now[who].sol - old[who].sol, sol, `SOL of the ${who}`);
          assert.equal(now[who].wrapped, old[who].wrapped, `wrapped SOL of the ${who}`);
        }
        if (payer) assert.equal(old.payer! - now.payer!, gasOf(payer.address));
        assert.equal(now.gas, old.gas);
        assert.deepEqual(
          [done.totalInputAmount, done.totalOutputAmount, done.inputAmountResult, done.outputAmountResult],
          [order.inAmount, order.outAmount, order.inAmount, order.outAmount],
        );
        assert.equal(done.swapEvents!.at(0)!.inputMint, input.mint);
        assert.equal(done.swapEvents!.at(-1)!.outputMint, output.mint);
      }),
      { numRuns: 30, includeErrorInReport: true },
    );
  });

  it('names the close authority of an account that it makes, and of no other', async () => {
    const [payer, guard] = [await newWallet(world, SOL_1), generateKeypair()];
    for (const exists of [false, true]) {
      const taker = await newWallet(world, 0n, [
        [JUP, 1_000n * USDC_1],
        ...(exists ? [[USDC, 5n] as [typeof USDC, bigint]] : []),
      ]);
      const query = { inputMint: JUP.mint, outputMint: USDC.mint, amount: '100000000', taker: taker.address };
      const { order } = await swap(
        world,
        { ...query, payer: payer.address, closeAuthority: guard.address },
        taker,
        payer,
      );
      assert.equal(order.rentFeeLamports, exists ? 0 : 2_039_280);
      const account = await world.chain.account(associatedTokenAddress(taker.address, USDC.mint));
      assert.equal(decodeTokenAccount(account!.data)!.closeAuthority, exists ? undefined : guard.address);
      assert.equal((await balances(world, taker.address)).sol, 0n);
    }
  });

  it('takes the fee that it names, of SOL on either side, and of a token', async () => {
    const referral = generateKeypair().address;
    await openFeeAccount(world, referral, SOL);
    await openFeeAccount(world, referral, USDC);
    for (const router of ROUTERS) {
      for (const [input, output, feeToken, amount] of [
        [SOL, USDC, SOL, SOL_1],
        [USDC, SOL, SOL, 100n * USDC_1],
        [JUP, USDC, USDC, 1_000n * USDC_1],
        [USDC, JUP, USDC, 100n * USDC_1],
      ] as const) {
        const taker = await richWallet(world);
        const receiver = await newWallet(world, SOL_1);
        const [oldTaker, oldReceiver] = [await balances(world, taker.address), await balances(world, receiver.address)];
        const before = await feeOn(referral, feeToken);
        const query = { inputMint: input.mint, outputMint: output.mint, amount: amount.toString() };
        const { order, done } = await swap(
          world,
          {
            ...query,
            taker: taker.address,
            receiver: receiver.address,
            excludeRouters: except(router),
            referralAccount: referral,
            referralFee: 100,
          },
          taker,
        );
        const fee = (await feeOn(referral, feeToken)) - before;
        assert.equal(order.feeMint, feeToken.mint);
        assert.deepEqual([order.feeBps, order.platformFee.feeBps], [100, 100]);
        assert.equal(order.platformFee.amount, fee.toString());
        assert.ok(fee > 0n);
        const side = feeToken === input ? 'input' : 'output';
        if (side === 'input') {
          assert.equal(fee, amount / 100n);
          assert.equal(BigInt(done.totalInputAmount!) - BigInt(done.inputAmountResult!), fee);
        } else {
          assert.equal(fee, (BigInt(order.outAmount) + fee) / 100n);
          assert.equal(BigInt(done.outputAmountResult!) - BigInt(done.totalOutputAmount!), fee);
        }
        const [nowTaker, nowReceiver] = [await balances(world, taker.address), await balances(world, receiver.address)];
        assert.equal(nowTaker.wrapped, oldTaker.wrapped);
        if (output === SOL) assert.equal(nowReceiver.sol - oldReceiver.sol, BigInt(order.outAmount));
        if (input === USDC) assert.equal(oldTaker.usdc - nowTaker.usdc, BigInt(order.inAmount));
      }
    }
  });

  it('takes the default fee, here none, where the integrator has no account for it', async () => {
    const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000000', referralFee: 255 };
    const { body } = await world.order({ ...query, referralAccount: generateKeypair().address });
    assert.deepEqual([body.feeBps, body.platformFee.feeBps, body.platformFee.amount], [0, 0, '0']);
  });

  it('asks for the fee and tip that a manual order sets', async () => {
    const taker = await richWallet(world);
    const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '100000000', taker: taker.address };
    const fees = { priorityFeeLamports: 77_777, jitoTipLamports: 12_345 };
    const old = await balances(world, TIP_ACCOUNT);
    const { order } = await swap(world, { ...query, ...fees, broadcastFeeType: 'exactFee', slippageBps: 123 }, taker);
    assert.deepEqual([order.mode, order.slippageBps, order.router], ['manual', 123, 'metis']);
    assert.equal(order.prioritizationFeeLamports, 77_777 + 12_345);
    assert.equal((await balances(world, TIP_ACCOUNT)).sol - old.sol, 12_345n);
    const slipped = BigInt(order.outAmount) * (10_000n - 123n);
    assert.equal(BigInt(order.otherAmountThreshold), (slipped + 9_999n) / 10_000n);
    // The usual price is far below this cap.
    const { body: capped } = await world.order({ ...query, priorityFeeLamports: 77_777 });
    assert.ok(capped.prioritizationFeeLamports < 77_777);
  });

  it('holds a compute budget that says what it is said to cost', async () => {
    const [taker, payer] = [await richWallet(world), await newWallet(world, SOL_1)];
    const { body } = await world.order({
      inputMint: SOL.mint,
      outputMint: JUP.mint,
      amount: '50000000',
      taker: taker.address,
      payer: payer.address,
      priorityFeeLamports: 5_000,
      jitoTipLamports: 1_000,
      broadcastFeeType: 'exactFee',
    });
    const { decoded } = decodeTransaction(Buffer.from(body.transaction!, 'base64'));
    const instructions = decompileInstructions(decoded);
    const limit = parseComputeUnitLimit(instructions[0]!)!;
    const price = parseComputeUnitPrice(instructions[1]!)!;
    const priority = (BigInt(limit) * price + 999_999n) / 1_000_000n;
    assert.equal(Number(priority) + 1_000, body.prioritizationFeeLamports);
    assert.equal(body.signatureFeeLamports, 10_000);
    assert.deepEqual(parseSystemTransfer(instructions.at(-1)!), {
      from: payer.address,
      to: TIP_ACCOUNT,
      lamports: 1_000n,
    });
    assert.deepEqual(new Set([decoded.accounts[0], decoded.accounts[1]]), new Set([payer.address, taker.address]));
  });

  it('is never the same bytes twice', async () => {
    const taker = await richWallet(world);
    const query = { inputMint: JUP.mint, outputMint: USDC.mint, amount: '1000000', taker: taker.address };
    const orders = await Promise.all(
      Array.from({ length: 4 }, () => world.order({ ...query, excludeRouters: 'jupiterz' })),
    );
    for (const { status, body } of orders) assert.equal(status, 200, JSON.stringify(body));
    assert.equal(new Set(orders.map(({ body }) => body.transaction)).size, 4);
  });

  async function everybody(taker: Keypair, receiver: Keypair, payer: Keypair | undefined) {
    return {
      taker: await balances(world, taker.address),
      receiver: await balances(world, receiver.address),
      payer: payer && (await balances(world, payer.address)).sol,
      gas: (await balances(world, world.gasWallet)).sol,
    };
  }

  async function feeOn(wallet: Address, token: typeof SOL): Promise<bigint> {
    const { usdc, wrapped } = await balances(world, wallet);
    return token === SOL ? (wrapped ?? 0n) : usdc;
  }
});
