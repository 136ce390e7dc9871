import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { loadConfig } from '../config/index.js';
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

test('attack: a page of a foreign origin gets no permission, and whatever it sends is refused before it is looked at', async () => {
  const { app } = await startTestServer(routes);
  for (const origin of FOREIGN) {
    const asked = await preflight(app, origin);
    assert.equal(asked.headers['access-control-allow-origin'], undefined, origin);
    const sent = await app.inject({ url: '/thing', headers: { origin, 'x-api-key': 'good-key' } });
    assert.equal(sent.headers['access-control-allow-origin'], undefined, origin);
    assert.equal(sent.headers.vary, 'origin');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      for (const url of ['/thing', '/nothing', '/livez', '/admin/v1/keys']) {
        const headers = { origin, 'x-api-key': 'good-key', 'content-type': 'text/plain' };
        const refused = await app.inject({ method, url, headers, payload: method === 'POST' ? '{}' : undefined });
        assert.equal(refused.statusCode, 403);
        assert.ok(refused.body.includes(`Pages of ${origin} may not call`), refused.body);
      }
    }
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

const HERE = [
  'localhost',
  'localhost:8080',
  'LOCALHOST:1',
  'api.localhost',
  '127.0.0.1:8080',
  '[::1]:8080',
  '10.1.2.3:80',
];
const REBOUND = ['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.nip.example', 'a@localhost'];
const statusUnder = async (app: FastifyInstance, host: string, origin?: string) => {
  const headers = { host, 'x-api-key': 'good-key', ...(origin && { origin }) };
  return (await app.inject({ url: '/thing', headers })).statusCode;
};

test('attack: a page whose name was pointed at a sandbox gets 403, also as its own origin', async () => {
  const { app } = await startTestServer(routes);
  for (const host of HERE) assert.equal(await statusUnder(app, host), 200, host);
  for (const host of REBOUND) {
    assert.equal(await statusUnder(app, host), 403, host);
    assert.equal(await statusUnder(app, host, `http://${host}`), 403, host);
  }
  await app.close();
});

test('a sandbox answers under the names that it is given', async () => {
  const env = { SLIPWAY_HOSTS: 'sandbox,box.lan', SLIPWAY_PUBLIC_URL: 'https://slipway.example' };
  const { app } = await startTestServer(routes, { env });
  for (const host of ['sandbox:8080', 'Box.lan', 'slipway.example']) {
    assert.equal(await statusUnder(app, host), 200, host);
    // Its own pages, such as the documentation.
    assert.equal(await statusUnder(app, host, `http://${host}`), 200, host);
  }
  assert.equal(await statusUnder(app, 'evil.example'), 403);
  await app.close();
});

test('production answers under every name that its proxy lets through, unless it is told its names', async () => {
  const settings = {
    SLIPWAY_SANDBOX: '0',
    SLIPWAY_RPC_URL: 'http://127.0.0.1:1',
    SLIPWAY_SIGNER_PASSPHRASE: 'correct horse battery staple',
    DATABASE_URL: 'postgres://127.0.0.1/none',
    SLIPWAY_PUBLIC_URL: 'https://api.example.com',
  };
  const file = { cwd: folderWith({ express: { receiver: WRAPPED_SOL_MINT } }) };
  const open = async (env: Record<string, string>) =>
    (await startTestServer(routes, { config: loadConfig({ ...settings, ...env }, file) })).app;
  const app = await open({});
  assert.equal(await statusUnder(app, 'api.example.com'), 200);
  assert.equal(await statusUnder(app, 'upstream-7'), 200);
  assert.equal(await statusUnder(app, 'upstream-7', 'https://api.example.com'), 200, 'its own pages behind the proxy');
  assert.equal(await statusUnder(app, 'api.example.com', 'https://evil.example'), 403);
  await app.close();
  const named = await open({ SLIPWAY_HOSTS: 'upstream-7' });
  assert.equal(await statusUnder(named, 'upstream-7'), 200);
  assert.equal(await statusUnder(named, 'evil.example'), 403);
  await named.close();
});

function folderWith(settings: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-cors-'));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'slipway.config.json'), JSON.stringify(settings));
  return folder;
}
