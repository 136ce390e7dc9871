import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type NewKey, registerAdmin } from '../areas/admin/index.js';
import { loadConfig } from '../config/index.js';
import { createMetrics, createServer } from '../http/index.js';
import { createClock } from '../lib/clock.js';
import { createSecretBox } from '../signer/index.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import { confirmReserved, reserve } from '../store/verifications.js';
import { addCommands } from './commands.js';
import { runCli } from './main.js';
import { createProgram } from './program.js';

const TOKEN = 'a-token-for-the-operator-of-this-test';
const WALLET = '8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2';
const clock = createClock();
let folder: string;
let store: Store;
let app: FastifyInstance;
let url: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
  store = await openAnyStore();
  const config = loadConfig({ SLIPWAY_ADMIN_TOKEN: TOKEN }, { cwd: folder });
  app = await createServer({
    config,
    log: pino({ level: 'silent' }),
    keys: () => undefined,
    limiter: { take: () => assert.fail('an admin route is not limited') },
    metrics: createMetrics(),
    ready: async () => ({ ok: true, checks: { database: 'ok' } }),
  });
  const box = createSecretBox(Buffer.alloc(32, 1));
  registerAdmin(app, {
    rootToken: async () => 'a-token',
    store,
    box: async () => box,
    clock,
    mayCall: (origin) => origin === 'https://app.example.com',
    tiers: ['unlimited', ...Object.keys(config.tiers)],
    simulatedEvents: [],
    whyNotPaid: async () => undefined,
  });
  url = await app.listen({ port: 0 });
});

after(async () => {
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  code: number;
  out: string;
  err: string;
}

async function run(argv: string[], env: Record<string, string> = { SLIPWAY_ADMIN_TOKEN: TOKEN }): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    env,
    cwd: folder,
    stdout: (text) => out.push(text),
    stderr: (text) => err.push(text),
    colors: false,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function json<T>(argv: string[]): Promise<T> {
  const { code, out, err } = await run([...argv, '--url', url, '--json']);
  assert.equal(code, 0, err);
  return JSON.parse(out) as T;
}

test('help is shown for the program, a group and a command, without color codes', async () => {
  for (const argv of [['--json'], ['--help'], ['keys', '--help'], ['keys', 'create', '-h'], ['doctor', '--help']]) {
    const { code, out } = await run(argv);
    assert.equal(code, 0);
    assert.match(out, /Usage: slipway/);
    assert.ok(!out.includes('\u001b'));
  }
  assert.match(
    (await run(['keys', '--help'])).out,
    /Examples:\n {2}\$ slipway keys create --name .*\n {2}\$ slipway keys list\n/,
  );
  assert.doesNotMatch((await run(['--help'])).out, /^Commands:/m, 'every command stands under a heading');
  assert.match((await run(['keys', 'create', '--help'])).out, /slipway keys create.*--name/s);
});

test('the help of every command has an example', async () => {
  const [paths, groups]: [string[][], string[][]] = [[], [[]]];
  const walk = (command: Command, path: string[]): void => {
    for (const each of command.commands) walk(each, [...path, each.name()]);
    const isHidden = path.join(' ') === 'orders explain';
    if (command.commands.length === 0 && !isHidden) paths.push(path);
    else if (path.length > 0 && !isHidden) groups.push(path);
  };
  const program = createProgram([], { stdout: () => {}, colors: false, version: '0' });
  addCommands(program, { env: {}, cwd: '', colors: false, json: false, stdout() {}, stderr() {}, answer() {} });
  walk(program, []);
  assert.ok(paths.length > 15);
  for (const path of groups)
    assert.match((await run([...path, '--help'])).out, /Examples?:\n {2}\$ slipway /, path.join(' '));
  const page = await readFile(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
  for (const path of paths) {
    const { out } = await run([...path, '--help']);
    assert.match(out, new RegExp(`Usage: slipway ${path.join(' ')} `));
    assert.match(out, new RegExp(`Examples?:\n {2}\\$ slipway ${path.join(' ')}`));
    for (const [option] of out.matchAll(/--[a-z-]+/g)) assert.ok(page.includes(option), option);
    assert.ok(page.includes(path.join(' ')), path.join(' '));
  }
});

test('titles of the help are bold where colors are shown', async () => {
  const out: string[] = [];
  const context = { env: {}, cwd: folder, stdout: (text: string) => out.push(text), stderr() {} };
  await runCli(['keys', '--help'], { ...context, colors: true });
  assert.ok(out.join().includes('\u001b[1mUsage:'));
});

test('the version is that of the package', async () => {
  assert.match((await run(['--version'])).out, /^\d+\.\d+\.\d+$/);
  assert.match((await run(['--version', '--json'])).out, /^"\d+\.\d+\.\d+"$/);
});

test('a wrong command line exits with 2 and names the nearest known name', async () => {
  const cases: [string[], RegExp][] = [
    [['key'], /unknown command 'key': did you mean keys\?/],
    [['keys', 'craete'], /did you mean create\?/],
    [['keys', 'list', '--ulr', url], /unknown option '--ulr': did you mean --url\?/],
    [['keys', 'list', '--no-url'], /unknown option/],
    [['--verbose'], /unknown option '--verbose'/],
    [['keys'], /needs one of: create, list, rotate, revoke/],
    [['keys', 'create'], /--name/],
    [['keys', 'create', '--nam', 'x'], /unknown option '--nam': did you mean --name\?/],
    [['keys', 'create', '--name'], /--name.* argument missing/],
    [['keys', 'create', '--name', '--tier', 'pro'], /--name needs a value/],
    [['keys', 'list', 'more'], /too many arguments for 'list'/],
    [['keys', 'revoke'], /ID/],
    [['keys', 'rotate', 'x', '--overlap', '1h'], /--overlap/],
    [['airdrop', WALLET, '1', '--raw=yes'], /unknown option '--raw=yes'/],
    [['verifications', 'list', '--state', 'open'], /reserved, pending/],
    [['keys', 'list', '--url', 'ftp://x'], /--url/],
    [['scores'], /needs one of: watch/],
    [['scores', 'watch', 'A', 'B', '--for', '1.5'], /--for/],
    [['scores', 'watch', '--for'], /--for.* argument missing/],
    [['keys', 'create', '--name', ''], /--name needs a value/],
    [['--version=1'], /unknown option/],
    [['orders', 'explain', 'x'], /unknown command 'orders explain': did you mean trigger-orders explain\?/],
    [['logs', '--level', 'loud'], /--level must be one of trace, .*, fatal/],
    [['logs', '--lines', '2001'], /--lines must be a number, and at most 2000/],
    [['logs', '--request', 'a b'], /--request must be the id of a request/],
    [['config', 'shema'], /too many arguments|did you mean schema/],
  ];
  for (const [argv, expected] of cases) {
    const { code, out, err } = await run(argv);
    assert.equal(code, 2, argv.join(' '));
    assert.match(err, expected);
    assert.equal(out, '');
    const inJson = await run([...argv, '--json']);
    assert.equal(inJson.code, 2);
    assert.match(JSON.parse(inJson.err).error, expected);
  }
});

test('keys are created, listed, rotated and revoked on the running service', async () => {
  const created = await json<NewKey>(['keys', 'create', '--name', 'shop', '--tier', 'pro', '--prefixes', '/tx,/ultra']);
  assert.match(created.key, /^slip_/);
  assert.deepEqual([created.tier, created.prefixes], ['pro', ['/tx', '/ultra']]);
  const next = await json<NewKey>(['keys', 'rotate', created.id, '--overlap', '0']);
  assert.equal(next.rotatedFrom, created.id);
  await json(['keys', 'revoke', next.id]);
  const keys = await json<{ id: string; revokedAt: string | null }[]>(['keys', 'list']);
  assert.deepEqual(
    keys.map(({ id, revokedAt }) => [id, revokedAt === null]),
    [
      [next.id, false],
      [created.id, true],
    ],
  );
  const shown = (await run(['keys', 'list', '--url', url])).out;
  assert.match(shown, /shop/);
  assert.ok(!shown.includes(created.key));
});

test('--json may stand anywhere, and a value may begin with a minus as one word', async () => {
  const listed = await run(['--json', 'keys', 'list', '--url', url]);
  assert.ok(Array.isArray(JSON.parse(listed.out)));
  const created = await run(['keys', '--json', 'create', '--name=-x', '--url', url]);
  assert.equal(JSON.parse(created.out).name, '-x');
});

test('what the service refuses is said in its words, with exit code 1', async () => {
  const unknown = await run(['keys', 'revoke', 'none', '--url', url]);
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(unknown.err, /no key with this id \(404\)/);
  const tier = await run(['keys', 'create', '--name', 'x', '--tier', 'gold', '--url', url, '--json']);
  assert.equal(tier.code, 1);
  assert.match(JSON.parse(tier.err).error, /tier must be one of/);
  const token = await run(['keys', 'list', '--url', url], { SLIPWAY_ADMIN_TOKEN: 'wrong' });
  assert.equal(token.code, 1);
  assert.match(token.err, /admin token is missing or wrong \(401\)/);
});

test('an id cannot lead to another route', async () => {
  const { code, err } = await run(['verifications', 'approve', '../../keys', '--url', url]);
  assert.equal(code, 1);
  assert.match(err, /no request with this id/);
});

test('the token comes from the data folder when the environment has none', async () => {
  const cwd = join(folder, '.slipway');
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, 'admin.token'), `${TOKEN}\n`, { mode: 0o600 });
  assert.equal((await run(['keys', 'list', '--url', url], {})).code, 0);
  await rm(cwd, { recursive: true });
  const missing = await run(['keys', 'list', '--url', url], {});
  assert.equal(missing.code, 1);
  assert.match(missing.err, /SLIPWAY_ADMIN_TOKEN/);
});

async function pay(id: string, twitterHandle: string): Promise<void> {
  const row = {
    id,
    tokenId: id,
    kind: 'verification' as const,
    requestId: `paid ${id}`,
    payer: 'P'.repeat(43),
    twitterHandle,
    senderTwitterHandle: null,
    description: null,
    metadata: null,
    paymentCurrency: 'PLATFORM_TOKEN',
    paymentAmount: 1n,
    createdAt: new Date(clock.now()),
  };
  await store.transaction(async (tx) => {
    await reserve(tx, [row]);
    await confirmReserved(tx, [{ requestId: row.requestId, signature: id, paidAt: row.createdAt }]);
  });
}

test('verification requests are listed and decided', async () => {
  await pay('request-1', '@token');
  assert.match((await run(['verifications', 'list', '--state', 'pending', '--url', url])).out, /request-1.*@token/s);
  const approved = await json<{ state: string; note: string }>([
    'verifications',
    'approve',
    'request-1',
    '--note',
    'ok',
  ]);
  assert.deepEqual([approved.state, approved.note], ['approved', 'ok']);
  assert.equal((await run(['verifications', 'reject', 'request-1', '--url', url])).code, 1);
  assert.match((await run(['verifications', 'list', '--url', url])).out, /^request-1 .* ok +@token$/m);
});

test('attack: an uploader writes into a request what steers the terminal of the operator, or adds a line to the list: it is left out', async () => {
  await pay('request-2', '@a\u001b[2J\u001b]52;c;cm0gLXJm\u0007\u009b31m\u202e\nrequest-3  approved');
  const { out } = await run(['verifications', 'list', '--url', url]);
  const line = out.split('\n').find((each) => each.startsWith('request-2'))!;
  assert.match(line, /@a\[2J\]52;c;cm0gLXJm31mrequest-3 {2}approved$/);
  assert.doesNotMatch(out, /[^\P{Cc}\n]/u);
  const listed = await run(['verifications', 'list', '--url', url, '--json']);
  assert.doesNotMatch(listed.out, /\p{Cc}/u);
  const { verifications } = JSON.parse(listed.out) as { verifications: { twitterHandle: string }[] };
  assert.match(verifications[0]!.twitterHandle, /\u009b31m\u202e\n/, 'programs get what there is');
});

test('no service at the given URL is an error that says how to go on', async () => {
  const { code, err } = await run(['keys', 'list', '--url', 'http://127.0.0.1:1']);
  assert.equal(code, 1);
  assert.match(err, /does not answer.*slipway serve/);
});

test('what is no transaction is told at once, also where no service runs', async () => {
  const { code, err } = await run(['tx', 'abc', '--url', 'http://127.0.0.1:1']);
  assert.deepEqual([code, /TRANSACTION must be a signature/.test(err)], [2, true], err);
});

test('where no service has ever run, nothing is made', async () => {
  const env = { SLIPWAY_PORT: '1', SLIPWAY_DATA_DIR: join(folder, 'nothing') };
  const { code, err } = await run(['keys', 'create', '--name', 'x'], env);
  assert.equal(code, 1);
  assert.match(err, /slipway serve/);
  assert.match(
    err,
    /^slipway: no service answers at http:\/\/127\.0\.0\.1:1, and there is no data folder \S+\. Start the service with /,
  );
  const wallets = await run(['wallets', 'list'], env);
  assert.match(wallets.err, /there is no signer file at .*the first start of the service makes one$/);
  const open = await run(['open'], env);
  assert.deepEqual([open.code, open.out], [1, '']);
  assert.match(open.err, /127\.0\.0\.1:1 does not answer: start it with "slipway serve"/);
  await assert.rejects(stat(join(folder, 'nothing')), { code: 'ENOENT' });
});

test('with no service running, the store is opened, and the key is there afterwards', async () => {
  const dataDir = join(folder, 'stopped');
  await mkdir(dataDir);
  const env = { SLIPWAY_PORT: '1', SLIPWAY_DATA_DIR: dataDir };
  const created = await run(['keys', 'create', '--name', 'offline', '--json'], env);
  assert.equal(created.code, 0, created.err);
  const listed = JSON.parse((await run(['keys', 'list', '--json'], env)).out) as { name: string }[];
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['offline'],
  );
});

test('a data folder that another process holds is not opened', async () => {
  const dataDir = join(folder, 'held');
  await mkdir(dataDir);
  // A live process that is not this one: its parent.
  await writeFile(join(dataDir, 'lock'), `${process.ppid} ${await startTime(process.ppid)}`);
  const { code, err } = await run(['keys', 'list'], { SLIPWAY_PORT: '1', SLIPWAY_DATA_DIR: dataDir });
  assert.equal(code, 1);
  assert.match(err, new RegExp(`in use by process ${process.ppid}.*--url`));
});

test('a setting that cannot be used is named', async () => {
  const { code, err } = await run(['keys', 'list', '--json'], { SLIPWAY_PORTT: '1' });
  assert.equal(code, 1);
  assert.match(JSON.parse(err).error, /SLIPWAY_PORTT.*SLIPWAY_PORT/);
});

/** Stands for the sandbox routes of a service; `asked` is what airdrops it was asked for. */
async function sandbox(): Promise<{ server: Server; base: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  const server = createHttpServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    assert.equal(request.headers['x-api-key'], 'sandbox');
    if (request.url === '/sandbox/info') {
      const usdc = { symbol: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, usdPrice: 1 };
      response.end(JSON.stringify({ mints: [usdc], wallets: [] }));
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(JSON.parse(text));
    response.end(JSON.stringify({ signature: 'the-signature' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('an airdrop is asked for in the smallest unit of its mint', async () => {
  const { server, base, asked } = await sandbox();
  const sol = 'So11111111111111111111111111111111111111112';
  const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  try {
    const first = await run(['airdrop', WALLET, '1.5', '--url', base, '--json']);
    assert.equal(JSON.parse(first.out).signature, 'the-signature');
    await run(['airdrop', WALLET, '2.25', '--mint', 'usdc', '--url', base]);
    await run(['airdrop', WALLET, '7', '--mint', usdc, '--raw', '--url', base]);
    await run(['airdrop', WALLET, '9', '--mint', WALLET, '--raw', '--url', base]);
    assert.deepEqual(asked, [
      { wallet: WALLET, mint: sol, amount: '1500000000' },
      { wallet: WALLET, mint: usdc, amount: '2250000' },
      { wallet: WALLET, mint: usdc, amount: '7' },
      { wallet: WALLET, mint: WALLET, amount: '9' },
    ]);
    for (const [argv, expected] of [
      [['1', '--mint', 'UDSC'], /did you mean USDC/],
      [['1', '--mint', WALLET], /--raw/],
      [['0.0000001', '--mint', 'USDC'], /6 decimals/],
      [['1.5', '--raw'], /--raw/],
    ] as const) {
      const { code, err } = await run(['airdrop', WALLET, ...argv, '--url', base]);
      assert.equal(code, 2);
      assert.match(err, expected);
    }
    assert.equal(asked.length, 4);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a service that is no sandbox gives nothing away', async () => {
  const { code, err } = await run(['airdrop', WALLET, '1', '--url', url]);
  assert.equal(code, 1);
  assert.match(err, /not a sandbox/);
});

async function startTime(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

test('an address without the admin API is told as such, with what to do', async () => {
  const server = createHttpServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'NOT_FOUND', message: 'Cannot PUT:/admin/v1/stops/fills' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, err } = await run(['stop', 'fills', '--why', 'x', '--url', `http://127.0.0.1:${port}`]);
  server.close();
  assert.equal(code, 1);
  assert.match(err, /^slipway: http:\/\/127\.0\.0\.1:\d+ has no admin API\. It is on the operations port/);
});
