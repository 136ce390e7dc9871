import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@slipway/wire';
import { Registry } from 'prom-client';
import type { PriceQuote } from '../prices/index.js';
import { registerPriceMetrics } from './state-metrics.js';

const SOL = 'So11111111111111111111111111111111111111112' as Address;
const OTHER = 'SysvarC1ock11111111111111111111111111111111' as Address;

test('the age of a price goes on where its feed has never answered, or has none to rely on any more', async () => {
  let now = 1_000_000;
  let price: PriceQuote | undefined;
  const registry = new Registry();
  const prices = {
    quote: (mint: Address) => (mint === SOL ? price : undefined),
    forOrders: (mint: Address) =>
      mint === SOL
        ? ({ none: 'uncertain', why: 'no answer', source: 'hermes' } as const)
        : ({ none: 'missing', why: 'nobody prices it' } as const),
  };
  const tokens = [
    { symbol: 'SOL', mint: SOL },
    { symbol: 'OTHER', mint: OTHER },
  ];
  registerPriceMetrics({ prices, clock: { now: () => now } }, tokens, registry);
  const ages = async () =>
    (await registry.getMetricsAsJSON())[0]!.values.map(({ value, labels }) => [labels.token, labels.source, value]);

  now += 130_000;
  assert.deepEqual(await ages(), [['SOL', 'hermes', 130]]);
  price = { usd: 150, confidence: 0, publishedAt: now - 2_000, source: 'hermes', stale: false };
  assert.deepEqual(await ages(), [['SOL', 'hermes', 2]]);
  price = undefined;
  now += 60_000;
  assert.deepEqual(await ages(), [['SOL', 'hermes', 62]]);
});
