import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { sandboxRoute } from '../areas/sandbox/deps.js';
import { plainError } from '../errors/index.js';
import { createLimiter } from '../store/limiter.js';
import { openTestStore } from '../store/testing.js';
import { plentyLeft, startTestServer } from './testing.js';

const KEYLESS = { SLIPWAY_KEYLESS: '1' };

function registerRoutes(app: FastifyInstance): void {
  const handler = () => ({ ok: true });
  app.get('/quote', { config: { errorShape: plainError, auth: 'key' }, handler });
  app.post('/execute', { config: { errorShape: plainError, auth: 'key', bucket: 'execute' }, handler });
  app.get('/mine', { config: { errorShape: plainError, auth: 'wallet' }, handler });
  app.get('/admin', { config: { errorShape: plainError, auth: 'admin' }, handler });
  app.get('/sandbox', { config: sandboxRoute, handler });
}

const wallets = async (token: string): Promise<Address | undefined> =>
  token === 'good' ? WRAPPED_SOL_MINT : undefined;

/** A server on which calls without a key are served, and what its limiter was asked. */
async function startKeyless(t: TestContext, env: Record<string, string> = KEYLESS) {
  const asked: [string, string, string][] = [];
  const take = (id: string, bucket: string, tier: string) => {
    asked.push([id, bucket, tier]);
    return plentyLeft;
  };
  const { app } = await startTestServer(registerRoutes, { env, wallets, limiter: { take } });
  t.after(() => app.close());
  return { app, asked };
}

test('without the setting, a call without a key is refused, in a sandbox, too', async (t) => {
  for (const env of [{}, { SLIPWAY_KEYLESS: '0' }] as Record<string, string>[]) {
    const { app, asked } = await startKeyless(t, env);
    const { statusCode, body } = await app.inject({ url: '/quote' });
    assert.equal(statusCode, 401);
    assert.deepEqual(JSON.parse(body), { error: 'Unauthorized: the header x-api-key is missing' });
    assert.deepEqual(asked, []);
  }
});

test('a call without a key is counted for its client, by its own tier', async (t) => {
  const { app, asked } = await startKeyless(t);
  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    app.inject({ url: '/quote', remoteAddress, headers });
  const answer = await from('203.0.113.7');
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['x-ratelimit-remaining'], '59');
  await from('203.0.113.8', { 'x-api-key': '' });
  await from('203.0.113.7', { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' });
  await from('2001:db8::1');
  await app.inject({ method: 'POST', url: '/execute', remoteAddress: '203.0.113.7' });
  await from('203.0.113.7', { 'x-api-key': 'good-key' });
  assert.deepEqual(asked, [
    ['keyless 203.0.113.7', 'main', 'keyless'],
    ['keyless 203.0.113.8', 'main', 'keyless'],
    ['keyless 203.0.113.7', 'main', 'keyless'],
    ['keyless 2001:db8:0:0::/64', 'main', 'keyless'],
    ['keyless 203.0.113.7', 'execute', 'keyless'],
    ['key-1', 'main', 'free'],
  ]);
});

test('behind a trusted proxy, each of its clients is counted', async (t) => {
  const { app, asked } = await startKeyless(t, { ...KEYLESS, SLIPWAY_TRUSTED_PROXIES: '10.0.0.0/8' });
  for (const client of ['198.51.100.1', '198.51.100.2']) {
    const headers = { 'x-forwarded-for': `192.0.2.9, ${client}` };
    await app.inject({ url: '/quote', remoteAddress: '10.1.1.1', headers });
  }
  assert.deepEqual(
    asked.map(([id]) => id),
    ['keyless 198.51.100.1', 'keyless 198.51.100.2'],
  );
});

test('a wrong key, the admin API and the sandbox are refused all the same, and a login is still needed', async (t) => {
  const { app, asked } = await startKeyless(t);
  const status = async (url: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url, headers })).statusCode;
  assert.equal(await status('/quote', { 'x-api-key': 'wrong' }), 401);
  assert.equal(await status('/sandbox'), 401);
  assert.equal(await status('/admin'), 401);
  assert.equal(await status('/admin', { authorization: 'Bearer wrong' }), 401);
  assert.deepEqual(asked, []);
  assert.equal(await status('/mine'), 401);
  assert.equal(await status('/mine', { authorization: 'Bearer good' }), 200);
  assert.equal(await status('/sandbox', { 'x-api-key': 'good-key' }), 200);
});

test('attack: a caller without a key goes to all copies, where such calls are served: 30 calls in a minute', async (t) => {
  const { store, close } = await openTestStore();
  t.after(close);
  const copies = await Promise.all(
    [1, 2].map(async () => {
      const tiers = { keyless: { perMinute: 30, executePer10s: 200 } };
      const limiter = createLimiter({ store, tiers, steadyNow: () => 0 });
      const { app } = await startTestServer(registerRoutes, { env: KEYLESS, wallets, limiter });
      t.after(() => app.close());
      return app;
    }),
  );
  const calls = Array.from({ length: 50 }, (_, index) =>
    copies[index % 2]!.inject({ url: '/quote', remoteAddress: '203.0.113.7' }),
  );
  const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode);
  assert.equal(statuses.filter((status) => status === 200).length, 30);
  assert.equal(statuses.filter((status) => status === 429).length, 20);
  const other = await copies[0]!.inject({ url: '/quote', remoteAddress: '203.0.113.8' });
  assert.equal(other.statusCode, 200);
});

test('the API document says where a key may be left out', async (t) => {
  const securityOf = async (env: Record<string, string>) => {
    const { app } = await startKeyless(t, env);
    const { paths } = (await app.inject({ url: '/openapi.json' })).json() as {
      paths: Record<string, Record<string, { security: object[] }>>;
    };
    return ['/quote', '/mine', '/sandbox', '/admin'].map((path) => paths[path]!.get!.security);
  };
  const [key, wallet, admin] = [{ apiKey: [] }, { apiKey: [], walletToken: [] }, { adminToken: [] }];
  assert.deepEqual(await securityOf({}), [[key], [wallet], [key], [admin]]);
  assert.deepEqual(await securityOf(KEYLESS), [[key, {}], [wallet, { walletToken: [] }], [key], [admin]]);
});
