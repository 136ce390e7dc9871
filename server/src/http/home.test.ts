import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { loadConfig } from '../config/index.js';
import { plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

let app: FastifyInstance;
let production: FastifyInstance;
before(async () => {
  const open = (sandbox: boolean) =>
    startTestServer(
      (server) => {
        const config = { errorShape: plainError, auth: 'key' } as const;
        server.get('/open', { config: { ...config, opensHere: true }, handler: () => ({ secret: 1 }) });
        server.get('/closed', { config, handler: () => ({ secret: 1 }) });
      },
      { config: { ...loadConfig({}, { cwd: tmpdir() }), sandbox } },
    );
  ({ app } = await open(true));
  ({ app: production } = await open(false));
});
after(() => Promise.all([app.close(), production.close()]));

test('the address of the service leads a browser to the documentation, and tells others where it is', async () => {
  const browser = await app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.deepEqual([browser.statusCode, browser.headers.location], [302, '/docs']);
  const other = (await app.inject({ url: '/' })).json();
  assert.equal(other.name, 'Slipway');
  for (const name of ['documentation', 'openapi', 'ready']) assert.ok(URL.canParse(other[name]), name);
});

const opened = {
  host: '127.0.0.1:8080',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

test('a link of the sandbox opens in a browser of the same machine, without a key', async () => {
  for (const host of ['127.0.0.1:8080', 'localhost:1', '[::1]:8080']) {
    assert.equal((await app.inject({ url: '/open', headers: { ...opened, host } })).statusCode, 200, host);
  }
  assert.equal((await app.inject({ url: '/open', headers: { 'x-api-key': 'good-key' } })).statusCode, 200);
});

test('and only so: not for a page, a frame, another name or machine, another route, or in production', async () => {
  const others: [string, object, number?][] = [
    ['no browser', { host: opened.host }],
    ['a link on another page', { ...opened, 'sec-fetch-site': 'cross-site' }],
    ['a page on another port', { ...opened, 'sec-fetch-site': 'same-site' }],
    [
      'a call of a page',
      { ...opened, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ],
    ['a frame', { ...opened, 'sec-fetch-dest': 'iframe' }],
    ['a name that was pointed here', { ...opened, host: 'elsewhere.example:8080' }, 403],
    ['a name that begins like ours', { ...opened, host: 'localhost.elsewhere.example' }, 403],
  ];
  for (const [why, headers, status = 401] of others) {
    assert.equal((await app.inject({ url: '/open', headers: { ...headers } })).statusCode, status, why);
  }
  const far = await app.inject({ url: '/open', headers: opened, remoteAddress: '192.0.2.1' });
  assert.equal(far.statusCode, 401);
  assert.equal((await app.inject({ url: '/closed', headers: opened })).statusCode, 401);
  assert.equal((await production.inject({ url: '/open', headers: opened })).statusCode, 401);
  assert.equal((await app.inject({ url: '/open', headers: { ...opened, 'x-api-key': 'wrong' } })).statusCode, 401);
});
