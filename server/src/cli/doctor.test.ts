import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROUTER_PROGRAM } from '@slipway/programs';
import { generateKeypair } from '@slipway/wire';
import { openSigner } from '../signer/index.js';
import { openStore } from '../store/postgres/open-store.js';
import { PATIENCE, usePostgres } from '../store/testing.js';
import type { Check } from './doctor-check.js';
import { runCli } from './main.js';

const PASSPHRASE = 'correct horse battery staple';
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const servers: Server[] = [];
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-doctor-'));
});

after(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await rm(folder, { recursive: true, force: true });
});

interface RpcCall {
  id: number;
  method: string;
  params?: unknown[];
}

/** An HTTP server that answers every request with the JSON that `answer` makes of its path and body. */
async function serve(answer: (path: string, body: RpcCall) => object): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = answer(request.url ?? '', text === '' ? { id: 0, method: '' } : JSON.parse(text));
    response.statusCode = 'status' in body && body.status === 'not ready' ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function rpc(genesis: string, health: object = { result: 'ok' }): Promise<string> {
  const program = { lamports: 1, owner: 'BPFLoaderUpgradeab1e11111111111111111111111', executable: true };
  const accounts = (addresses: unknown) =>
    (addresses as string[]).map((each) => (each === ROUTER_PROGRAM ? { ...program, data: ['', 'base64'] } : null));
  const results: Record<string, (params: unknown[]) => object> = {
    getGenesisHash: () => ({ result: genesis }),
    localnet_info: () => ({ error: { code: -32601, message: 'Method not found' } }),
    getMultipleAccounts: ([addresses]) => ({ result: { context: { slot: 1 }, value: accounts(addresses) } }),
  };
  return serve((_path, { id, method, params = [] }) => ({
    jsonrpc: '2.0',
    id,
    ...(results[method]?.(params) ?? health),
  }));
}

interface Report {
  code: number;
  out: string;
  ok: boolean;
  checks: Map<string, Check>;
}

async function doctor(env: Record<string, string>): Promise<Report> {
  const out: string[] = [];
  const settings = { SLIPWAY_PORT: '1', SLIPWAY_DATA_DIR: join(folder, 'data'), ...env };
  const code = await runCli(['doctor', '--json'], {
    env: settings,
    cwd: folder,
    stdout: (text) => out.push(text),
    stderr: (text) => assert.fail(text),
    colors: false,
  });
  const { ok, checks } = JSON.parse(out.join('')) as { ok: boolean; checks: Check[] };
  assert.equal(code, ok ? 0 : 1);
  for (const check of checks) if (!check.ok) assert.ok(check.next, `${check.name} says what to do next`);
  return { code, out: out.join(''), ok, checks: new Map(checks.map((check) => [check.name, check])) };
}

test('a fresh sandbox is fine, and nothing is made by looking at it', async () => {
  const report = await doctor({});
  assert.equal(report.code, 0, report.out);
  assert.deepEqual(
    [...report.checks.keys()],
    ['configuration', 'data folder', 'service', 'rpc', 'database', 'uploads', 'signer', 'admin token', 'prices'],
  );
  assert.deepEqual(await readdir(folder), []);
});

test('a wrong setting is the only thing that is reported', async () => {
  const report = await doctor({ SLIPWAY_PORT: 'http' });
  assert.deepEqual([...report.checks.keys()], ['configuration']);
  assert.match(report.checks.get('configuration')?.detail ?? '', /SLIPWAY_PORT/);
  assert.equal(report.code, 1);
});

test('an RPC is asked for its health and its chain, and its key is not shown', async () => {
  const healthy = await rpc(GENESIS);
  const report = await doctor({ SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: `${healthy}/?api-key=very-secret` });
  assert.equal(report.checks.get('rpc')?.ok, true, report.out);
  assert.match(report.out, new RegExp(GENESIS));
  assert.ok(!report.out.includes('very-secret'));
});

test('an RPC that is behind, that cannot be reached, or that is on another chain fails', async () => {
  const healthy = await rpc(GENESIS);
  const behind = await rpc(GENESIS, { error: { code: -32005, message: 'Node is behind by 42 slots' } });
  const late = await doctor({ SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: behind });
  assert.match(late.checks.get('rpc')?.detail ?? '', /behind by 42 slots/);
  assert.equal(late.ok, false);
  const gone = await doctor({ SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: 'http://127.0.0.1:1' });
  assert.equal(gone.checks.get('rpc')?.ok, false);
  const other = await rpc('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkzBKze');
  const ways = { SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: healthy, SLIPWAY_SEND_URLS: `${healthy},${other}` };
  const mixed = await doctor(ways);
  const states = ['rpc', 'send url 1', 'send url 2'].map((name) => mixed.checks.get(name)?.ok);
  assert.deepEqual(states, [true, true, false]);
});

test('an RPC that tells no transactions fails', async () => {
  const results: Record<string, unknown> = { getGenesisHash: GENESIS, getHealth: 'ok', getFirstAvailableBlock: 0 };
  const ask = async (transaction: object) => {
    const url = await serve((_path, { id, method }) => ({
      jsonrpc: '2.0',
      id,
      ...(method === 'getTransaction' ? transaction : { result: results[method] ?? null }),
    }));
    return (await doctor({ SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: url })).checks.get('history');
  };
  assert.equal((await ask({ result: null }))?.ok, true);
  const none = await ask({ error: { code: -32011, message: 'Transaction history is not available from this node' } });
  assert.equal(none?.ok, false);
  assert.match(none?.detail ?? '', /tells no transactions \(.*not available/);
});

test('a clock that is far from the chain’s fails', async () => {
  const clockWith = async (seconds: number) => {
    const time = Math.round(Date.now() / 1_000) + seconds;
    const results: Record<string, unknown> = {
      getGenesisHash: GENESIS,
      getHealth: 'ok',
      getSlot: 7,
      getBlockTime: time,
    };
    const url = await serve((_path, { id, method }) => ({ jsonrpc: '2.0', id, result: results[method] }));
    return (await doctor({ SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: url })).checks.get('clock');
  };
  assert.equal((await clockWith(0))?.ok, true);
  for (const [seconds, where] of [
    [600, 'before'],
    [-600, 'after'],
  ] as const) {
    const off = await clockWith(seconds);
    assert.equal(off?.ok, false);
    assert.match(off?.detail ?? '', new RegExp(`^(599|60[0-9]|61[0-9]) seconds ${where} that of the chain$`));
  }
});

test('it says whose pages may call a production, and that its environment has no certificate checked', async () => {
  const url = await rpc(GENESIS);
  const settings = join(folder, 'browsers.json');
  await writeFile(settings, JSON.stringify({ express: { receiver: generateKeypair().address } }));
  const keys = { SLIPWAY_SIGNER_FILE: join(folder, 'none.json'), SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE };
  const env = { ...keys, SLIPWAY_EMBEDDED_DATABASE: '1', SLIPWAY_RPC_URL: url, SLIPWAY_CONFIG: settings };
  const none = (await doctor(env)).checks.get('browsers');
  assert.match(none?.next ?? '', /SLIPWAY_CORS_ORIGINS/);
  const some = (await doctor({ ...env, SLIPWAY_CORS_ORIGINS: 'https://app.example.com' })).checks.get('browsers');
  assert.equal(some?.detail, 'pages of https://app.example.com may call');
  const open = (await doctor({ ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).checks.get('configuration');
  assert.match(open?.next ?? '', /NODE_TLS_REJECT_UNAUTHORIZED=0 has whoever stands between taken for your RPC/);
});

test('the router of sandboxes fails in production, although a program is there', async () => {
  const settings = join(folder, 'router.json');
  const programs = { router: ROUTER_PROGRAM };
  await writeFile(settings, JSON.stringify({ express: { receiver: generateKeypair().address }, programs }));
  const keys = { SLIPWAY_SIGNER_FILE: join(folder, 'none.json'), SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE };
  const chain = { SLIPWAY_EMBEDDED_DATABASE: '1', SLIPWAY_RPC_URL: await rpc(GENESIS) };
  const check = (await doctor({ ...keys, ...chain, SLIPWAY_CONFIG: settings })).checks.get('router program');
  assert.equal(check?.ok, false);
  assert.match(check?.detail ?? '', /whose secret key anybody can derive/);
});

test('a signer file that does not open fails, one that does shows the gas wallet', async () => {
  const file = join(folder, 'keys', 'signer.json');
  const signer = await openSigner({ file, passphrase: PASSPHRASE, create: true });
  const env = { SLIPWAY_SIGNER_FILE: file, SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE };
  assert.match((await doctor(env)).checks.get('signer')?.detail ?? '', new RegExp(signer.address('gas')));
  const wrong = await doctor({ ...env, SLIPWAY_SIGNER_PASSPHRASE: 'not the one' });
  assert.equal(wrong.checks.get('signer')?.ok, false);
  assert.ok(!wrong.out.includes('not the one'));
  await writeFile(file, 'no json');
  assert.match((await doctor(env)).checks.get('signer')?.detail ?? '', /damaged/);
});

test('the wallet of a keeper needs SOL, and that of an instance that only answers requests does not', async () => {
  const file = join(folder, 'keeper', 'signer.json');
  const signer = await openSigner({ file, passphrase: PASSPHRASE, create: true });
  const settings = join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({ express: { receiver: signer.address('gas') } }));
  const keeperWallet = async (lamports: number, roles = 'keeper') => {
    const chain = await serve((_path, { id, method }) => ({
      jsonrpc: '2.0',
      id,
      result: { getGenesisHash: GENESIS, getHealth: 'ok', getBalance: { context: { slot: 1 }, value: lamports } }[
        method
      ],
    }));
    const env = {
      SLIPWAY_EMBEDDED_DATABASE: '1',
      SLIPWAY_RPC_URL: chain,
      SLIPWAY_CONFIG: settings,
      SLIPWAY_ROLES: roles,
    };
    const { checks } = await doctor({ ...env, SLIPWAY_SIGNER_FILE: file, SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE });
    return checks.get('keeper wallet');
  };
  assert.equal(await keeperWallet(0, 'api'), undefined);
  assert.equal((await keeperWallet(40_000_000))?.ok, true);
  assert.match((await keeperWallet(39_999_999))?.detail ?? '', /with less than 0\.04 no invite is claimed/);
  const poor = await keeperWallet(19_999_999, 'api,keeper');
  assert.equal(poor?.ok, false);
  assert.match(poor?.detail ?? '', new RegExp(`${signer.address('keeper')} has 0.019999999 SOL`));
});

test('a data folder that cannot be one fails', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  const report = await doctor({ SLIPWAY_DATA_DIR: join(file, 'data') });
  assert.equal(report.checks.get('data folder')?.ok, false);
});

test('a running service that is not ready, or refuses the token, fails', async () => {
  const url = await serve((path) => (path === '/readyz' ? { status: 'ready', checks: {} } : { makers: [] }));
  const port = new URL(url).port;
  const chain = await rpc(GENESIS);
  const env = { SLIPWAY_PORT: port, SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: chain };
  const fine = await doctor({ ...env, SLIPWAY_ADMIN_TOKEN: 'a-token-of-the-operator-of-this-test' });
  assert.equal(fine.ok, true, fine.out);
  const noToken = await doctor(env);
  assert.equal(noToken.checks.get('admin token')?.ok, false);
  const waiting = await serve(() => ({ status: 'not ready', checks: { database: 'failed' } }));
  const notReady = await doctor({ ...env, SLIPWAY_PORT: new URL(waiting).port });
  assert.match(notReady.checks.get('service')?.detail ?? '', /not ready .*database: failed/);
  assert.equal(notReady.ok, false);
});

test('a database that cannot be reached fails, without its password being shown', async () => {
  const report = await doctor({ DATABASE_URL: 'postgres://slipway:very-secret@127.0.0.1:1/slipway' });
  assert.equal(report.checks.get('database')?.ok, false);
  assert.ok(!report.out.includes('very-secret'));
});

test('attack: another user of the machine listens in the place of PostgreSQL, and asks doctor for the password: he is not told it', async (t) => {
  let told = '';
  const imposter = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      told += bytes.toString('latin1');
      // Asks for the password in clear text.
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
    });
  }).listen(0, '127.0.0.1');
  await once(imposter, 'listening');
  t.after(() => imposter.close());
  const { port } = imposter.address() as AddressInfo;
  const report = await doctor({ DATABASE_URL: `postgres://slipway:very-secret@127.0.0.1:${port}/slipway` });
  assert.match(report.checks.get('database')?.detail ?? '', /asks for the password itself/);
  assert.match(told, /slipway/);
  assert.doesNotMatch(told, /very-secret/);
});

test('a database says what of the schema is missing, and is left as it was', async () => {
  const postgres = await usePostgres();
  try {
    const url = await postgres.createDatabase();
    const empty = await doctor({ DATABASE_URL: url });
    assert.match(empty.checks.get('database')?.detail ?? '', /next start applies \d+ migrations/);
    assert.deepEqual((await doctor({ DATABASE_URL: url })).checks, empty.checks);
    const store = await openStore({ kind: 'postgres', url, patience: PATIENCE });
    assert.match((await doctor({ DATABASE_URL: url })).checks.get('database')?.detail ?? '', /current schema/);
    await store.transaction((tx) => tx.query(`insert into migrations values ('9999_later.sql', 'x')`));
    await store.close();
    assert.equal((await doctor({ DATABASE_URL: url })).checks.get('database')?.ok, false);
  } finally {
    await postgres.stop();
  }
});

test('without --json the report is for people', async () => {
  const out: string[] = [];
  const env = { SLIPWAY_PORT: '1', SLIPWAY_SANDBOX: '1', SLIPWAY_RPC_URL: 'http://127.0.0.1:1' };
  const context = { env, cwd: folder, stderr: (text: string) => assert.fail(text), colors: false };
  assert.equal(await runCli(['doctor'], { ...context, stdout: (text) => out.push(text) }), 1);
  assert.match(out.join('\n'), /^ok {4} {2}configuration {3}sandbox/);
  assert.match(out.join('\n'), /failed {2}rpc .*\n +-> /);
});
