import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, SOL } from './index.js';

const WALLET = '3689w2jvV8jNiotumNZWaP7gmDnrNw8yPeXdfSy9wYx6';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

test('an order whose end or amount is none is refused by name, before anything is asked or signed', async () => {
  const none = async () => assert.fail('nobody is asked');
  const signer = { address: WALLET, signTransactions: none };
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k', signer, fetch: none });
  const login = { token: 't', wallet: WALLET, vault: WALLET };
  const order = { inputMint: SOL, outputMint: USDC, inputAmount: 1n, expiresAt: new Date(1) };
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 1 } as const;
  for (const [field, wrong] of [
    ['expiresAt', { expiresAt: undefined as unknown as Date }],
    ['expiresAt', { expiresAt: new Date(Number.NaN) }],
    ['inputAmount', { inputAmount: 0n }],
  ] as const) {
    const placing = client.placePriceOrder(login, { ...order, ...terms, ...wrong });
    await assert.rejects(placing, { code: 'invalid_request', field });
  }
});
