import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

const production = {
  SLIPWAY_CORS_ORIGINS: 'https://app.example.com,http://localhost:3000',
};

const routes = (app: FastifyInstance): void => {
  app.get('/thing', { config: { errorShape: plainError, auth: 'key' }, handler: () => ({ ok: true }) });
};

const preflight = (app: FastifyInstance, origin: string, url = '/thing') =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-api-key',
    },
  });

const LOCAL = [
  'http://localhost:3000',
  'https://localhost',
  'http://127.0.0.1:5173',
  'http://[::1]:8080',
  'http://my-app.localhost:1234',
];
const FOREIGN = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://evil-localhost:3000',
  'http://localhost:3000.evil.example',
  'http://127.0.0.1.evil.example',
  'null',
  'file://',
];

test('a sandbox answers preflights of any origin on this machine, without a key, on any path', async () => {
  const { app } = await startTestServer(routes);
  for (const origin of LOCAL) {
    for (const url of ['/thing', '/nothing']) {
      const answer = await preflight(app, origin, url);
      assert.equal(answer.statusCode, 204, origin);
      assert.equal(answer.headers['access-control-allow-origin'], origin);
      assert.equal(answer.headers['access-control-allow-headers'], 'authorization,content-type,x-api-key');
      assert.match(String(answer.headers['access-control-allow-methods']), /GET.*POST.*PATCH.*DELETE/);
      assert.equal(answer.headers.vary, 'origin');
    }
  }
  await app.close();
});

test('no other origin gets a permission', async () => {
  const { app } = await startTestServer(routes);
  for (const origin of FOREIGN) {
    const asked = await preflight(app, origin);
    assert.equal(asked.headers['access-control-allow-origin'], undefined, origin);
    const sent = await app.inject({ url: '/thing', headers: { origin, 'x-api-key': 'good-key' } });
    assert.equal(sent.headers['access-control-allow-origin'], undefined, origin);
    assert.equal(sent.headers.vary, 'origin');
  }
  await app.close();
});

test('with a list, only what is listed is permitted, to the letter', async () => {
  const { app } = await startTestServer(routes, { env: production });
  for (const origin of ['https://app.example.com', 'http://localhost:3000']) {
    assert.equal((await preflight(app, origin)).headers['access-control-allow-origin'], origin);
  }
  const others = [
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://x.app.example.com',
    'http://localhost:3001',
  ];
  for (const origin of others) {
    assert.equal((await preflight(app, origin)).headers['access-control-allow-origin'], undefined, origin);
  }
  await app.close();
});

test('a page can read answers and errors alike, with their request id and limits', async () => {
  const { app } = await startTestServer(routes);
  const origin = 'http://localhost:3000';
  for (const [headers, status] of [
    [{ origin, 'x-api-key': 'good-key' }, 200],
    [{ origin }, 401],
  ] as const) {
    const answer = await app.inject({ url: '/thing', headers });
    assert.equal(answer.statusCode, status);
    assert.equal(answer.headers['access-control-allow-origin'], origin);
    const exposed = String(answer.headers['access-control-expose-headers']);
    for (const name of [
      'x-api-gateway-request-id',
      'x-ratelimit-remaining',
      'x-ratelimit-current',
      'x-ratelimit-reset',
    ]) {
      assert.ok(exposed.includes(name));
    }
  }
  await app.close();
});
