import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Quote, Refusal } from '../../routing/router.js';
import { leastOf } from '../../routing/slippage.js';
import { findOffer, type Market } from './offers.js';

const LEAST_PART = 5_000_000n;

/** A constant-product pool whose price is that of the prices; counts the questions. */
function poolOf(depth: bigint, slippageBps: bigint, takesAtMost?: bigint) {
  let asked = 0;
  const outOf = (amount: bigint) => (depth * amount) / (depth + amount);
  const market: Market = {
    async quote(amount): Promise<Quote | Refusal> {
      asked += 1;
      if (takesAtMost !== undefined && amount > takesAtMost) return { refused: 'no-route', reason: 'too much' };
      return { inAmount: amount, outAmount: outOf(amount) } as Quote;
    },
    slippage: () => slippageBps,
    fair: (amount, lessBps) => leastOf(amount, lessBps),
    leastPart: LEAST_PART,
  };
  return { market, outOf, asked: () => asked };
}

const amount = fc.bigInt({ min: 10_000_000n, max: 10n ** 15n });
const depth = fc.bigInt({ min: 1_000_000n, max: 10n ** 16n });
const slippage = fc.bigInt({ min: 1n, max: 5_000n });

test('finds what is nearly the largest part, in few quotes, and leaves and sells no crumbs', async () => {
  await fc.assert(
    fc.asyncProperty(amount, depth, slippage, async (all, pool, bps) => {
      const { market, outOf, asked } = poolOf(pool, bps);
      const offer = await findOffer(market, all);
      assert.ok(asked() <= 7, `${asked()} quotes`);
      const isEnough = (part: bigint) => outOf(part) >= leastOf(part, bps);
      if ('skipped' in offer) {
        assert.ok(!isEnough(all) && (!isEnough(LEAST_PART) || all < 2n * LEAST_PART));
        return;
      }
      assert.ok(isEnough(offer.amount) && offer.least >= leastOf(offer.amount, bps));
      if (offer.amount === all) return;
      assert.ok(!isEnough(all) && offer.amount >= LEAST_PART && all - offer.amount >= LEAST_PART);
      const more = offer.amount + offer.amount / 50n + LEAST_PART;
      assert.ok(more > all - LEAST_PART || !isEnough(more), `${offer.amount} of ${all}`);
    }),
    { numRuns: 500 },
  );
});

test('asks for less where the market does not take all of it', async () => {
  const { market } = poolOf(10n ** 15n, 100n, 300_000_000n);
  const offer = await findOffer(market, 1_000_000_000n);
  assert.ok('amount' in offer && offer.amount > 270_000_000n && offer.amount <= 300_000_000n);
});

test('says what the market gives where no part is worth selling', async () => {
  const { market } = poolOf(1_000n, 100n);
  assert.deepEqual(await findOffer(market, 50_000_000n), {
    skipped: 'the market gives 999 and its slippage allows no less than 49500000',
  });
});

test('amounts so large that the market is as strained by all as by half of it are halved', async () => {
  const all = 2n ** 60n;
  const market: Market = {
    quote: async (amount) => ({ inAmount: amount, outAmount: amount > all / 2n ? amount - 1n : amount }) as Quote,
    slippage: () => 0n,
    fair: (amount, lessBps) => leastOf(amount, lessBps),
    leastPart: all / 8n,
  };
  const offer = await findOffer(market, all);
  assert.ok('amount' in offer && offer.amount >= all / 4n && offer.amount <= all / 2n);
});

test('asks for what the market takes where that is only a part, and leaves what is worth no sale', async () => {
  const taking = (most: bigint): Market => ({
    quote: async (amount) => {
      const inAmount = amount < most ? amount : most;
      return { inAmount, outAmount: inAmount } as Quote;
    },
    slippage: () => 2_000n,
    fair: (amount, lessBps) => leastOf(amount, lessBps),
    leastPart: LEAST_PART,
  });
  for (const [most, amount] of [
    [85_000_000n, 85_000_000n],
    [95_000_000n, 95_000_000n],
    [95_000_001n, 100_000_000n],
  ] as const) {
    const offer = await findOffer(taking(most), 100_000_000n);
    assert.ok('amount' in offer);
    assert.equal(offer.amount, amount);
    assert.equal(offer.least, leastOf(amount, 2_000n));
  }
  assert.deepEqual(await findOffer(taking(4_000_000n), 100_000_000n), {
    skipped: 'the market takes no more than 4000000',
  });
});
