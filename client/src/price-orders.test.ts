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

test('waiting for an order goes on where the service says that the key has asked too often', async () => {
  const order = { id: 'o', orderState: 'filled' };
  let asked = 0;
  const busy = () =>
    Response.json({ code: 429, message: 'Too many' }, { status: 429, headers: { 'retry-after': '0' } });
  const fetch = async () => (++asked <= 6 ? busy() : Response.json(order));
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k', fetch });
  const login = { token: 't', wallet: WALLET, vault: WALLET };
  assert.deepEqual(await client.waitForPriceOrder(login, 'o'), order);
});

test('waiting for an order ends where the service asks for more time than there is', async () => {
  const headers = { 'retry-after': '3600' };
  const fetch = async () => Response.json({ code: 429, message: 'Too many' }, { status: 429, headers });
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k', fetch });
  const login = { token: 't', wallet: WALLET, vault: WALLET };
  await assert.rejects(client.waitForPriceOrder(login, 'o'), { code: 'rate_limited', retryAfterMs: 3_600_000 });
});

test('waiting asks at most once a second in a minute, so that it leaves the smallest tier room', async () => {
  let [time, asked] = [0, 0];
  const { now } = performance;
  const { setTimeout: real } = globalThis;
  performance.now = () => time;
  globalThis.setTimeout = ((go: () => void, ms = 0) => {
    time += ms;
    return real(go, 0);
  }) as typeof setTimeout;
  try {
    const fetch = async () => {
      asked++;
      return Response.json({ id: 'o', orderState: 'open' });
    };
    const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k', fetch });
    const login = { token: 't', wallet: WALLET, vault: WALLET };
    await assert.rejects(client.waitForPriceOrder(login, 'o'), { code: 'timeout' });
  } finally {
    [performance.now, globalThis.setTimeout] = [now, real];
  }
  assert.ok(asked <= 45, `${asked} requests in a minute`);
});
