import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, beforeEach, test } from 'node:test';
import { runCli } from './main.js';

const AT = '2026-01-01T00:00:00.000Z';
const STOPPED = ['all', 'crafts', 'fills'];
const ANEW = 'all was stopped anew since, by bob: the feed is wrong. It stays stopped: look at the stops again';

let server: Server;
let url: string;
/** What the service refuses to resume. */
let refused: readonly string[];
const asked: string[] = [];

before(async () => {
  server = createServer(({ method, url: path = '' }, response) => {
    const [, what = ''] = /\/stops\/(\w+)/.exec(path) ?? [];
    if (method === 'DELETE') asked.push(path);
    const isRefused = method === 'DELETE' && refused.includes(what);
    const stops = STOPPED.map((each) => ({ what: each, why: 'a test', stoppedBy: 'root', stoppedAt: AT }));
    response.statusCode = isRefused ? 409 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isRefused ? { error: ANEW } : method === 'GET' ? { stops } : { what }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked.length = 0;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function resume(...args: string[]) {
  const said = { out: '', err: '' };
  const code = await runCli(['resume', ...args, '--url', url], {
    env: { SLIPWAY_ADMIN_TOKEN: 'of the test' },
    cwd: tmpdir(),
    colors: false,
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

test('resume ends each stop that was listed', async () => {
  refused = [];
  assert.deepEqual(await resume(), { code: 0, out: 'Resumed: all, crafts, fills.', err: '' });
  assert.deepEqual(
    asked,
    STOPPED.map((what) => `/admin/v1/stops/${what}?stoppedAt=${AT}`),
  );
});

test('resume goes on with the others where one is refused, and says at the end which was', async () => {
  refused = ['all'];
  const told = await resume();
  assert.deepEqual(told, { code: 1, out: `Resumed: crafts, fills.\nNot resumed: all: ${ANEW} (409)`, err: '' });
  assert.equal(asked.length, 3);
  const { code, out } = await resume('--json');
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(out), { resumed: ['crafts', 'fills'], refused: [{ what: 'all', why: `${ANEW} (409)` }] });
});

test('resume says where none could be resumed', async () => {
  refused = STOPPED;
  const { code, out } = await resume();
  assert.equal(code, 1);
  assert.match(out, /^Not resumed: all: .*\nNot resumed: crafts: .*\nNot resumed: fills: /);
});
