import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LimitOrder, limitOrderPrice } from '@slipway/programs';
import { type Address, generateKeypair, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import fc from 'fast-check';
import type { PricedToken } from '../../prices/index.js';
import { lamportsIn, planFill } from './plan.js';

const someone: Address = generateKeypair().address;
const ORDER: LimitOrder = {
  maker: someone,
  inputMint: someone,
  outputMint: someone,
  inputMintReserve: someone,
  feeAccount: someone,
  inputTokenProgram: TOKEN_PROGRAM,
  outputTokenProgram: TOKEN_PROGRAM,
  uniqueId: 0n,
  bump: 255,
  oriMakingAmount: 1n,
  oriTakingAmount: 1n,
  makingAmount: 1n,
  takingAmount: 1n,
  borrowMakingAmount: 0n,
  expiredAt: undefined,
  feeBps: 0,
  createdAt: 0n,
  updatedAt: 0n,
  slippageBps: 0,
};

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const orders = fc
  .record({
    all: amount,
    taking: amount,
    share: fc.integer({ min: 1, max: 1_000 }),
    feeBps: fc.nat(300),
    slippageBps: fc.nat(500),
  })
  .map(({ all, taking, share, feeBps, slippageBps }) => ({
    ...ORDER,
    oriMakingAmount: all,
    oriTakingAmount: taking,
    feeBps,
    slippageBps,
    makingAmount: (all * BigInt(share) + 999n) / 1_000n,
  }));
const reserves = fc.tuple(amount, amount);
const costs = fc.nat(10 ** 6);

/** A constant-product pool without a fee. */
const pool =
  ([x, y]: readonly [bigint, bigint]) =>
  async (offered: bigint) =>
    (y * offered) / (x + offered);

test('what is planned pays the maker, the fee and the cost, and the maker gets no less than the order asks', async () => {
  await fc.assert(
    fc.asyncProperty(orders, reserves, costs, async (order, deep, cost) => {
      const fill = await planFill(order, pool(deep), cost);
      if (!fill) return;
      const { makingAmount, takingAmount, feeAmount } = fill;
      assert.ok(makingAmount > 0n && makingAmount <= order.makingAmount);
      assert.ok(takingAmount + feeAmount + BigInt(cost) <= (await pool(deep)(makingAmount)));
      assert.equal(feeAmount, (takingAmount * BigInt(order.feeBps)) / 10_000n);
      const least = takingAmount * 10_000n * order.oriMakingAmount;
      const asked = makingAmount * order.oriTakingAmount;
      assert.ok(least >= asked * BigInt(10_000 - order.slippageBps));
      // The program finds the same price for this payment.
      const price = limitOrderPrice(order, makingAmount, takingAmount + feeAmount);
      assert.deepEqual(price, { takingAmount, feeAmount });
    }),
    { numRuns: 2_000 },
  );
});

test('where the whole pays, the whole is planned; where a part is, a hundredth more of it would not pay', async () => {
  await fc.assert(
    fc.asyncProperty(orders, reserves, costs, async (order, deep, cost) => {
      const pays = async (making: bigint) => {
        const out = await pool(deep)(making);
        const price = out > cost ? limitOrderPrice(order, making, out - BigInt(cost)) : undefined;
        const isAsked = price?.takingAmount === limitOrderPrice(order, making)?.takingAmount;
        return price !== undefined && (isAsked || price.takingAmount >= 100n * BigInt(cost));
      };
      const fill = await planFill(order, pool(deep), cost);
      if (await pays(order.makingAmount)) return assert.equal(fill?.makingAmount, order.makingAmount);
      if (!fill || fill.makingAmount < 1_000n) return;
      // Between those that pay all that is asked and those whose cost is small enough, some pay neither.
      if (order.slippageBps > 0 && fill.takingAmount < 100n * BigInt(cost)) return;
      const more = fill.makingAmount + fill.makingAmount / 100n;
      assert.equal(more < order.makingAmount && (await pays(more)), false);
    }),
    { numRuns: 2_000 },
  );
});

test('whatever the cost, a maker is paid what he asks, or a hundredth less than without it at most', async () => {
  const accepting = orders.map((order) => ({ ...order, slippageBps: 9_000 }));
  await fc.assert(
    fc.asyncProperty(accepting, reserves, fc.nat(10 ** 12), async (order, deep, cost) => {
      const fill = await planFill(order, pool(deep), cost);
      if (!fill) return;
      const { makingAmount, takingAmount } = fill;
      const free = limitOrderPrice(order, makingAmount, await pool(deep)(makingAmount))!;
      // The fee is of what is paid, and each is rounded by one unit.
      assert.ok((takingAmount + 1n) * 101n >= free.takingAmount * 100n, `${takingAmount} of ${free.takingAmount}`);
    }),
    { numRuns: 2_000 },
  );
});

test('a part is found where the market has not the depth for the whole, and none where its price is too low', async () => {
  const order = { ...ORDER, oriMakingAmount: 10n ** 9n, oriTakingAmount: 10n ** 9n, makingAmount: 10n ** 9n };
  assert.ok((await planFill(order, pool([10n ** 8n, 2n * 10n ** 8n]), 750))!.makingAmount > 95_000_000n);
  assert.equal(await planFill(order, pool([10n ** 8n, 99_000_000n]), 0), undefined);
  const upTo = async (offered: bigint) => (offered > 5n * 10n ** 7n ? undefined : 2n * offered);
  assert.ok((await planFill(order, upTo, 0))!.makingAmount > 49_000_000n);
  assert.equal(await planFill(order, async () => undefined, 0), undefined);
  assert.equal(await planFill(order, upTo, 10 ** 9), undefined, 'the cost is more than it brings');
});

test('lamports are worth what the prices say, and nothing is known without one', () => {
  const token = { mint: someone, tokenProgram: TOKEN_PROGRAM, decimals: 6 };
  const usd = (prices: Record<string, number>) => (token: PricedToken) => prices[token.mint];
  const both = usd({ [WRAPPED_SOL_MINT]: 150, [someone]: 0.5 });
  assert.equal(lamportsIn(token, 5_000n, both), 1_500);
  assert.equal(lamportsIn(token, 10n, both), 3);
  assert.equal(lamportsIn({ ...token, mint: WRAPPED_SOL_MINT }, 5_000n, usd({})), 5_000);
  assert.equal(lamportsIn(token, 5_000n, usd({ [someone]: 0.5 })), undefined);
});

test('a cost of much less than a unit is charged as one only where the market gives it besides what is asked, and not within the slippage', async () => {
  const dear = 0.005 / 1_000;
  const order = (taking: bigint) => ({
    ...ORDER,
    oriMakingAmount: 10n ** 9n,
    makingAmount: 10n ** 9n,
    oriTakingAmount: taking,
    slippageBps: 2_000,
  });
  const takingAt = async (asked: bigint, market: bigint, cost: number) => {
    const gives = async (making: bigint) => (making * market) / 10n ** 9n;
    return (await planFill(order(asked), gives, cost))?.takingAmount;
  };
  assert.equal(await takingAt(10n, 10n, dear), undefined);
  assert.equal(await takingAt(10n, 9n, dear), undefined);
  assert.equal(await takingAt(10n, 11n, dear), 10n);
  // A cent for half of one.
  assert.equal(await takingAt(1_000n, 1_000n, 0.5), 999n);
  // Less than the share that slippage is counted in.
  assert.equal(await takingAt(20_000n, 20_000n, dear), 19_999n);
  assert.equal(await takingAt(20_000n, 20_001n, dear), 20_000n);
  // Nor is that taken in parts, of which each would pay a unit.
  const shallow = async (making: bigint) => (making > 3n * 10n ** 8n ? undefined : (making * 3n) / 10n ** 5n);
  assert.equal(await planFill(order(30_000n), shallow, dear), undefined);
  assert.ok((await planFill(order(30_000n), shallow, 0.5))!.takingAmount > 8_000n);
});
