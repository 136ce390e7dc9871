import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { eventsRoute } from '../areas/events/deps.js';
import { sandboxRoute } from '../areas/sandbox/deps.js';
import { plainError } from '../errors/index.js';
import { createLimiter } from '../store/limiter.js';
import { openTestStore } from '../store/testing.js';
import { createMetrics } from './metrics.js';
import type { Limiter } from './ports.js';
import { plentyLeft, startTestServer } from './testing.js';

const PAGE = 'http://localhost:3000';
const UNKNOWN_WALLETS = async (token: string): Promise<Address | undefined> =>
  token === 'good' ? WRAPPED_SOL_MINT : undefined;

function registerRoutes(app: FastifyInstance): void {
  const handler = () => ({ ok: true });
  app.get('/quote', { config: { errorShape: plainError, auth: 'key' }, handler });
  app.get('/holdings', {
    config: { errorShape: plainError, auth: 'key' },
    handler: async (request) => ({ allowed: (await request.charge(20))?.allowed }),
  });
  app.get('/order', {
    config: { errorShape: plainError, auth: 'key', bucket: 'execute' },
    handler: async (request) => ({ allowed: (await request.charge(1, 'main'))?.allowed }),
  });
  app.get('/payer', { config: { errorShape: plainError, auth: 'key' }, handler: ({ payer }) => payer });
  app.get('/mine', { config: { errorShape: plainError, auth: 'wallet' }, handler });
  app.get('/events', { config: eventsRoute, handler });
  app.get('/sandbox', { config: sandboxRoute, handler });
}

async function start(t: TestContext, limiter: Limiter, metrics = createMetrics()) {
  const { app } = await startTestServer(registerRoutes, { wallets: UNKNOWN_WALLETS, limiter, metrics });
  t.after(() => app.close());
  return (url: string, headers: Record<string, string> = { origin: PAGE }, remoteAddress = '203.0.113.7') =>
    app.inject({ url, remoteAddress, headers: { host: 'localhost', 'x-api-key': 'in-pages', ...headers } });
}

test('a key that stands in pages works from these, and is counted for the client before it is for the key', async (t) => {
  const asked: string[] = [];
  const call = await start(t, {
    take: (id, bucket, tier) => {
      asked.push(`${id} ${bucket} ${tier}`);
      return plentyLeft;
    },
  });
  assert.equal((await call('/quote')).statusCode, 200);
  assert.deepEqual(asked, ['key-3 203.0.113.7 main keyless', 'key-3 main free']);
});

test('a call may count by two limits, each for the client before it is for the key', async (t) => {
  const asked: string[] = [];
  const call = await start(t, {
    take: (id, bucket) => {
      asked.push(`${id} ${bucket}`);
      return plentyLeft;
    },
  });
  assert.deepEqual((await call('/order')).json(), { allowed: true });
  const counted = ['execute', 'main'].flatMap((bucket) => [`key-3 203.0.113.7 ${bucket}`, `key-3 ${bucket}`]);
  assert.deepEqual(asked, counted);
});

test('a call that is served tells of its own limit, and not to wait, where another one or the rest of its own is used up', async (t) => {
  const called: string[] = [];
  const limiter: Limiter = {
    take: (_id, bucket, _tier, weight = 1) =>
      bucket === 'main' && (weight > 1 || isUsedUp)
        ? { ...plentyLeft, allowed: false, remaining: 0, current: 60 }
        : { ...plentyLeft, remaining: 7 },
  };
  let isUsedUp = false;
  const metrics = { ...createMetrics(), called: (_key: string, outcome: string) => void called.push(outcome) };
  const call = await start(t, limiter, metrics);
  const told = async (url: string) => {
    const { statusCode, headers } = await call(url);
    return [statusCode, headers['x-ratelimit-remaining'], headers['retry-after']];
  };
  assert.deepEqual(await told('/holdings'), [200, '0', undefined]);
  isUsedUp = true;
  assert.deepEqual(await told('/order'), [200, '7', undefined]);
  assert.deepEqual(await told('/quote'), [429, '0', String(plentyLeft.retrySeconds)]);
  assert.deepEqual(called, ['served', 'served', 'limited']);
});

test('places are counted for the client, and for the key that many clients share', async (t) => {
  const call = await start(t, { take: () => plentyLeft });
  const { id, together } = (await call('/payer')).json();
  assert.deepEqual([id, together], ['key-3 203.0.113.7', 'key-3']);
});

test('attack: a page uses the key that stands in another one: refused, as a program without a page is', async (t) => {
  const call = await start(t, { take: () => plentyLeft });
  for (const headers of [{}, { origin: 'http://localhost:3001' }, { origin: 'null' }] as Record<string, string>[]) {
    const { statusCode, body } = await call('/quote', headers);
    assert.equal(statusCode, 403, JSON.stringify(headers));
    if (headers.origin !== 'null') assert.match(body, /for pages of http:\/\/localhost:3000/);
  }
});

test('attack: another user reads everybody’s events by the key of a page: refused without his own login', async (t) => {
  const call = await start(t, { take: () => plentyLeft });
  const refused = await call('/events');
  assert.equal(refused.statusCode, 403);
  assert.match(refused.body, /log in with a wallet, or use a secret key/);
  for (const authorization of ['', 'Bearer any', 'Bearer good']) {
    const { statusCode, body } = await call('/sandbox', { origin: PAGE, ...(authorization && { authorization }) });
    assert.equal(statusCode, 403);
    assert.match(body, /: use a secret key/);
  }
  const login = { origin: PAGE, authorization: 'Bearer good' };
  assert.equal((await call('/events', login)).statusCode, 200);
  assert.equal((await call('/mine', login)).statusCode, 200);
  assert.equal((await call('/events', { origin: PAGE, authorization: 'Bearer bad' })).statusCode, 401);
  assert.equal((await call('/mine')).statusCode, 401);
});

test('attack: another user uses up the limit of a page’s key: he uses up his own, and the others go on', async (t) => {
  const { store, close } = await openTestStore();
  t.after(close);
  const tiers = { keyless: { perMinute: 3, executePer10s: 3 }, free: { perMinute: 7, executePer10s: 7 } };
  const call = await start(t, createLimiter({ store, tiers, steadyNow: () => 0 }));
  const from = (client: string, url = '/quote') => call(url, { origin: PAGE }, client);
  const statuses = async (client: string, count: number) => {
    const got: number[] = [];
    for (let i = 0; i < count; i++) got.push((await from(client)).statusCode);
    return got;
  };
  assert.deepEqual(await statuses('203.0.113.1', 5), [200, 200, 200, 429, 429]);
  assert.equal((await from('203.0.113.2')).headers['x-ratelimit-remaining'], '2', 'his own');
  // What costs more counts for the client, and no more than he has left.
  assert.deepEqual((await from('203.0.113.2', '/holdings')).json(), { allowed: false });
  assert.equal((await from('203.0.113.2')).statusCode, 429);
  assert.deepEqual(await statuses('203.0.113.3', 3), [200, 200, 429], 'the key has seven in all');
});
