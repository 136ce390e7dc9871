import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateKeypair } from '@slipway/wire';
import { WebSocket } from 'ws';
import { newKey } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { run, SLIPWAY } from './command.js';
import { assertAccessible, openConsole } from './console-page.js';
import { eventually } from './rounds.js';
import { onFreePort, request, type Service, startService } from './service.js';
import { type Info, rpc } from './wallet.js';

const EXAMPLES = fileURLToPath(new URL('../../examples/dist/', import.meta.url));
/** An address of this machine at which others reach it. */
const OUTSIDE = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const PUBLIC = { SLIPWAY_SANDBOX_PUBLIC: '1' };

describe('a public sandbox', () => {
  let service: Service;
  let rpcPort: number;
  let key: string;
  let info: Info & { apiKey: string; rpcUrl: string };
  before(async () => {
    service = await onFreePort((free) => {
      rpcPort = free;
      return startService({ env: { ...PUBLIC, SLIPWAY_RPC_PORT: String(free) } });
    });
    key = keyIn(service.dataDir);
    ({ body: info } = await ask('/sandbox/info', key));
  });
  after(() => service?.close());

  const keyIn = (folder: string) => readFileSync(join(folder, 'sandbox.key'), 'utf8').trim();
  const ask = <T = Record<string, unknown>>(path: string, as: string | undefined, body?: unknown) =>
    request<T>(`${service.url}${path}`, { headers: { 'x-api-key': as }, ...(body !== undefined && { body }) });
  const secretOf = ({ rpcUrl }: { rpcUrl: string }) => rpcUrl.split('/').at(-1)!;

  it('says its key where it was started, and keeps it for the service alone', async () => {
    assert.ok(service.welcome.includes(`(x-api-key: ${key})`));
    assert.ok(service.welcome.includes(`/#key=${key} `));
    assert.match(key, /^[\w-]{43}$/);
    assert.equal(statSync(join(service.dataDir, 'sandbox.key')).mode & 0o777, 0o600);
    assert.equal(info.apiKey, key);
    assert.ok(!service.log().includes(key));
  });

  it('attack: a caller without a key comes with the key of other sandboxes, with none, or as one who opens a link', async () => {
    const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    const wallet = generateKeypair().address;
    for (const headers of [
      { 'x-api-key': 'sandbox' },
      { 'x-api-key': undefined },
      { 'x-api-key': undefined, ...opened },
      { 'x-api-key': `${key}x` },
      { 'x-api-key': secretOf(info) },
    ]) {
      const airdrop = { body: { wallet, amount: '1' }, headers };
      assert.equal((await request(`${service.url}/sandbox/info`, { headers })).status, 401);
      assert.equal((await request(`${service.url}/sandbox/airdrop`, airdrop)).status, 401);
      assert.equal((await request(`${service.url}/tokens/v2/search?query=SOL`, { headers })).status, 401);
    }
    assert.equal((await rpc<{ value: number }>(info, 'getBalance', wallet)).value, 0);
  });

  it('attack: a caller without a key looks for it, and for the way to the chain, in all that is served to everybody', async () => {
    const html = { accept: 'text/html' };
    const pages = [
      '/',
      '/swap',
      '/docs',
      '/openapi.json',
      '/console.json',
      '/llms.txt',
      '/livez',
      '/readyz',
      '/metrics',
    ];
    const found = [
      '/sandbox/wallet.js',
      '/docs/static/swagger-initializer.js',
      '/overview',
      '/nowhere',
      '/sandbox/chain/x',
    ];
    const secrets = [key, secretOf(info)];
    for (let path = pages.shift(); path !== undefined; path = pages.shift() ?? found.shift()) {
      for (const accept of [html, {}]) {
        const { body, headers } = await request(`${service.url}${path}`, {
          headers: { 'x-api-key': undefined, ...accept },
        });
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        for (const secret of secrets)
          assert.ok(!text.includes(secret) && ![...headers].flat().join().includes(secret), path);
        found.push(
          ...[...text.matchAll(/(?:src|href)="\.?(\/[\w./-]+)"/g)]
            .map(([, linked]) => linked!)
            .filter((linked) => !seen.has(linked)),
        );
        for (const linked of found) seen.add(linked);
      }
    }
    assert.ok(seen.size > 8, [...seen].join());
  });
  const seen = new Set<string>();

  it('attack: a caller without a key goes to the chain past the service', { skip: OUTSIDE === undefined }, async () => {
    for (const port of [rpcPort, rpcPort + 1]) {
      const [error] = (await once(connect(port, OUTSIDE), 'error')) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ECONNREFUSED');
    }
    assert.equal((await fetch(`http://${OUTSIDE}:${new URL(service.url).port}/livez`)).status, 200);
  });

  it('attack: a caller without a key guesses the way to the chain', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'getHealth', params: [] };
    const secret = secretOf(info);
    const wrong = [
      `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
      `${secret}A`,
      secret.slice(1),
      key,
      'x',
      '%00',
      '..%2f',
    ];
    for (const guess of wrong) {
      const { status, body: said } = await ask(`/sandbox/chain/${guess}`, undefined, body);
      assert.equal(status, 404, guess);
      assert.match(String(said.error), /GET \/sandbox\/info says where/);
      assert.match(await upgrade(`/sandbox/chain/${guess}`), /^HTTP\/1\.1 404 /);
    }
    assert.equal((await ask(`/sandbox/chain/${secret}`, undefined, body)).body.result, 'ok');
    assert.match(await upgrade(`/sandbox/chain/${secret}`), /^HTTP\/1\.1 101 /);
    assert.match(await upgrade('/livez'), /^HTTP\/1\.1 404 /);
    assert.match(await upgrade('/livez', 'h2c'), /^HTTP\/1\.1 400 [\s\S]*HTTP\/1\.1, and WebSocket/);
  });

  it('attack: a caller without a key keeps connections that asked for another protocol: they are closed', async () => {
    const { port } = new URL(service.url);
    for (const at of [Number(port), rpcPort, rpcPort + 1]) {
      const socket = connect({ port: at, host: '127.0.0.1', allowHalfOpen: true });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => {});
      socket.on('data', () => {});
      const wanted = ['host: evil.example', 'connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
      socket.write(['GET /livez HTTP/1.1', ...wanted, '\r\n'].join('\r\n'));
      // What nobody reads any more is refused by the kernel.
      const sending = setInterval(() => socket.write('x'), 20);
      await closed;
      clearInterval(sending);
    }
  });

  it('attack: a page of another origin that knows the way to the chain may not call there', async () => {
    const headers = { 'x-api-key': undefined, origin: 'https://evil.example' };
    const body = { jsonrpc: '2.0', id: 1, method: 'getHealth', params: [] };
    const { pathname } = new URL(info.rpcUrl);
    assert.equal((await request(`${service.url}${pathname}`, { headers, body })).status, 403);
  });

  it('attack: a free key is not told the key that opens everything', async () => {
    const own = await newKey(service);
    const { body } = await ask<typeof info>('/sandbox/info', own.key);
    assert.equal(body.apiKey, own.key);
    assert.ok(!JSON.stringify(body).includes(key));
  });

  it('a client elsewhere pays, swaps and follows the chain with nothing but its address and key', async () => {
    const port = new URL(service.url).port;
    const env = { SLIPWAY_URL: `http://${OUTSIDE ?? '127.0.0.1'}:${port}`, SLIPWAY_API_KEY: key };
    for (const [name, landed] of [
      ['express', /Receiver +\+1000000000\n[\s\S]*error: none/],
      // With the fee of the network, where a pool was as good as the maker, who pays it for her.
      ['swap', /SOL of alice +.*\(-1000(000000|005000)\)/],
    ] as const) {
      const { code, out, error } = await run(join(EXAMPLES, `${name}.js`), [], { cwd: service.dataDir, env });
      assert.equal(code, 0, error);
      assert.match(out, landed);
    }
  });

  it('the command line takes the key of the folder where it runs, and else says that one is missing', async () => {
    const at = ['--url', service.url];
    const env = { ...PUBLIC, SLIPWAY_DATA_DIR: service.dataDir };
    const own = await run(SLIPWAY, ['status', '--json', ...at], { cwd: service.dataDir, env });
    assert.equal(JSON.parse(own.out).apiKey, key, own.error);
    const given = await run(SLIPWAY, ['prices', ...at], { cwd: tmpdir(), env: { SLIPWAY_API_KEY: key } });
    assert.match(given.out, /^SOL +150 /m);
    const without = await run(SLIPWAY, ['prices', ...at], { cwd: tmpdir() });
    assert.equal(without.code, 1);
    assert.match(without.error, /does not know the key: set SLIPWAY_API_KEY/);
    // On a busy machine one of its checks may have taken too long.
    const status = await eventually('it is ready', async () => {
      const said = await run(SLIPWAY, ['status', ...at], { cwd: tmpdir() });
      return said.out.includes('is ready') ? said : undefined;
    });
    assert.equal(status.code, 0);
    assert.match(status.out, /is ready[\s\S]*API key +not known here.*set SLIPWAY_API_KEY/);
  });

  it('the console asks for the key, says that one is wrong, and takes it from the printed address', {
    skip: withoutBrowser,
  }, async () => {
    const browser = await launchBrowser();
    try {
      const { page, complaints } = await openConsole(browser, service.url, { theme: 'dark', width: 390 });
      const field = page.getByLabel('API key');
      await field.fill(`${key}x`);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('The service does not know this key.').waitFor();
      await assertAccessible(page);
      await field.fill(key);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByRole('list', { name: 'Prices' }).waitFor();
      // It follows the chain through the service.
      await page.locator('output', { hasText: /^sandbox$/ }).waitFor();
      assert.deepEqual(complaints, []);
      const linked = await openConsole(browser, `${service.url}/swap#key=${key}`);
      await linked.page.getByLabel('Acting as').waitFor();
      assert.equal(new URL(linked.page.url()).hash, '');
      const stale = await openConsole(browser, `${service.url}/#key=another`);
      await stale.page.getByText('The service does not know this key.').waitFor();
    } finally {
      await browser.close();
    }
  });

  /** What the service answers to one who wants to speak another protocol. */
  async function upgrade(path: string, protocol = 'websocket'): Promise<string> {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      [
        `GET ${path} HTTP/1.1`,
        'host: localhost',
        'connection: Upgrade',
        `upgrade: ${protocol}`,
        'sec-websocket-version: 13',
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
        '\r\n',
      ].join('\r\n'),
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return data.toString();
  }
});

it('a public sandbox ends though somebody follows its chain, has the same key afterwards, and another one when it starts over', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  const keyNow = () => readFileSync(join(dataDir, 'sandbox.key'), 'utf8').trim();
  try {
    const first = await startService({ env: PUBLIC, database: 'embedded', dataDir });
    const key = keyNow();
    const { body } = await request<{ wsUrl: string }>(`${first.url}/sandbox/info`, { headers: { 'x-api-key': key } });
    const socket = new WebSocket(body.wsUrl);
    await once(socket, 'open');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    assert.equal(typeof JSON.parse(data.toString()).result, 'number');
    const gone = once(socket, 'close');
    await first.kill('SIGTERM');
    await gone;
    const second = await startService({ env: PUBLIC, database: 'embedded', dataDir });
    assert.equal(keyNow(), key);
    await second.kill('SIGTERM');
    const third = await startService({ env: PUBLIC, database: 'embedded', dataDir, args: ['--reset'] });
    assert.notEqual(keyNow(), key);
    await third.kill('SIGTERM');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
