import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { OrderPrice } from '../../prices/index.js';
import { FillReadings } from '../../routing/fill-readings.js';
import type { Quote, Router } from '../../routing/router.js';
import { marketOf } from './market.js';
import { offerOf } from './offers.js';
import type { Sale } from './sale.js';

const BOUGHT = SYSTEM_PROGRAM;
const USD: Record<Address, number> = { [WRAPPED_SOL_MINT]: 1, [BOUGHT]: 10 };

/** Of an order that sells for whole tokens of 10 USD. */
function marketAt(slippageBps: number | null) {
  const market = marketOf(
    {
      router: {} as Router,
      maxBelowFairBps: 2_000,
      clock: { now: () => 0 },
      prices: {
        forOrders: (mint) =>
          ({ usd: USD[mint]!, confidence: 0, publishedAt: 0, source: 'feed', stale: false }) as unknown as OrderPrice,
        poolWitness: () => undefined,
        pastWitness: () => undefined,
        follow: () => {},
      },
    },
    { vault: BOUGHT, slippageBps } as Sale,
    {
      input: { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 6 },
      output: { mint: BOUGHT, tokenProgram: TOKEN_PROGRAM, decimals: 0 },
    },
    AbortSignal.abort(),
    { readings: new FillReadings() },
  );
  assert.ok('fair' in market);
  return market;
}

test('a token of which one unit is worth 10 USD is not bought for 19.98 USD at half of what the prices say', () => {
  const market = marketAt(100);
  const leastFor = (amount: bigint) => offerOf(market, amount, { outAmount: 1n } as Quote).least;
  // What its slippage allows is taken off before that is rounded.
  assert.equal(leastFor(10_050_000n), 1n);
  assert.deepEqual([leastFor(19_980_000n), leastFor(20_000_000n), leastFor(10_000_000n)], [2n, 2n, 1n]);
});

test('automatic slippage goes by the price impact, but by no more than the market lacks of the prices', () => {
  const market = marketAt(null);
  const slippageOf = (priceImpact: number, outAmount: bigint) =>
    market.slippage({ inAmount: 1_280_000_000n, outAmount, priceImpact } as Quote);
  assert.equal(slippageOf(0.005, 127n), 150n);
  assert.equal(slippageOf(0.03, 127n), 207n);
  assert.equal(slippageOf(0.03, 129n), 50n);
});
