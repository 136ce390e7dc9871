import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createClock, steadyNow } from '../lib/clock.js';
import type { PriceQuote } from '../prices/index.js';
import type { Aggregator } from '../routing/aggregator/index.js';
import { JUP, offer, quoted, requestOf, scriptedMaker, USDC } from '../sandbox/maker/testing.js';
import { openRouters } from './routers.js';

const AMOUNT = 1_000_000n;
type Deps = Parameters<typeof openRouters>[0];

it('attack: somebody who moves pools has each honest offer of a market maker look absurd beside their price: offers are compared with feeds alone', async (t) => {
  const wallet = generateKeypair().address;
  const maker = await scriptedMaker({ quote: (body) => offer(body, wallet, AMOUNT) });
  t.after(() => maker.close());
  const prices = new Map<Address, PriceQuote>();
  const setPrice = (mint: Address, usd: number, source: PriceQuote['source']) =>
    prices.set(mint, { usd, confidence: 0, publishedAt: 0, source, stale: false });
  const deps = {
    config: { swap: { budgetMs: 2_000 }, services: {}, programs: {} },
    log: pino({ level: 'silent' }),
    store: { query: async () => ({ rows: [] }) },
    signer: { wallets: () => ({}) },
    aggregator: { id: 'metis', name: 'Metis' } as Aggregator,
    chains: {},
    clock: createClock(),
    steadyNow,
    prices: { quote: (mint: Address) => prices.get(mint), usd: (mint: Address) => prices.get(mint)?.usd },
    metrics: { registry: new Registry() },
  };
  const { makers } = openRouters(deps as unknown as Deps, [{ id: 'own', name: 'own', url: maker.url }]);
  const request = requestOf(undefined, USDC, JUP, AMOUNT);
  setPrice(USDC.mint, 1, 'hermes');
  for (const moved of [2, 0.4]) {
    setPrice(JUP.mint, moved, 'pools');
    assert.equal((await quoted(makers, request)).outAmount, AMOUNT);
  }
  setPrice(JUP.mint, 2, 'hermes');
  await assert.rejects(quoted(makers, request), /no market maker has made an offer/);
});
