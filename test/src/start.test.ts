import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Agent, createServer as createHttpServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { ROUTER_PROGRAM } from '@slipway/programs';
import { generateKeypair } from '@slipway/wire';
import { WebSocket } from 'ws';
import { newKey } from './admin.js';
import { type Ended, inheritedEnvironment, launch, type Program, run, SERVICE } from './command.js';
import { request, type Service, startService } from './service.js';
import { balancesOf, infoOf, JUP, newWallet, PRICE } from './wallet.js';

/** What never ends is a fault, what is slow is a busy machine. */
const PATIENCE_MS = 300_000;
/** What a process warns of that stood still for seconds; that may be at its end, too. */
const STOOD_STILL = /"msg":"the account subscriptions broke; polling meanwhile"/;

const folders: string[] = [];
const servers: Server[] = [];
const programs: Program[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-start-'));
  folders.push(folder);
  return folder;
};
after(async () => {
  for (const server of servers) server.close();
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(({ ended }) => ended));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A start that must end by itself, in a folder of its own. */
function start(env: Record<string, string>, args: string[] = []): Promise<Ended> {
  const cwd = newFolder();
  const defaults = { SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0', SLIPWAY_DATA_DIR: join(cwd, 'data') };
  return run(SERVICE, args, { env: { ...defaults, ...env }, cwd });
}

async function expectRefusal(env: Record<string, string>, says: RegExp, args: string[] = []): Promise<string> {
  const { code, out, error } = await start(env, args);
  assert.equal(out, '');
  assert.match(error, /^slipway: .*\n$/, 'one line');
  assert.match(error, says);
  assert.equal(code, 1);
  return error;
}

/** A node of another chain: it tells its genesis, and knows no method of ours. */
async function foreignNode(): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request)) as { id: unknown; method: string };
    const known = method === 'getGenesisHash' && { result: generateKeypair().address };
    const answer = known || { error: { code: -32_601, message: 'Method not found' } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}`;
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

describe('the welcome', () => {
  it('says where everything is, which key works, whose money there is, and what to try', async () => {
    const service = await startService({ database: 'embedded' });
    try {
      const { welcome, url, rpcUrl, wsUrl } = service;
      for (const part of [url, `${url}/docs`, rpcUrl, wsUrl, 'x-api-key: sandbox', '--reset']) {
        assert.ok(welcome.includes(part), part);
      }
      const { wallets } = await infoOf(service);
      assert.ok(wallets.length >= 3);
      for (const { name, address } of wallets) assert.match(welcome, new RegExp(`\\b${name} +${address}\\b`));
      assert.ok(!wallets.some(({ secretKey }) => welcome.includes(secretKey)));
      assert.equal((await fetch(`${url}/docs`)).status, 200);

      const [, header, value, target] = /curl -H '([^:']+): ([^']+)' '([^']+)'/.exec(welcome) ?? [];
      const answer = await fetch(target!, { headers: { [header!]: value! } });
      assert.equal(answer.status, 200);
      const crafted = (await answer.json()) as { code: number; transaction: string };
      assert.equal(crafted.code, 0);
      assert.ok(crafted.transaction.length > 100);
    } finally {
      await service.close();
    }
  });
});

describe('the end of npm', () => {
  it('ends the service in good order, though only the shell between them was told', async () => {
    const dataDir = join(newFolder(), 'data');
    // As npm runs it: the shell stays between the two, and dies of the signal without passing it on.
    const shell = spawn('sh', ['-c', '"$0" "$1"; :', process.execPath, SERVICE], {
      env: {
        ...inheritedEnvironment(),
        SLIPWAY_PORT: '0',
        SLIPWAY_RPC_PORT: '0',
        SLIPWAY_DATA_DIR: dataDir,
        SLIPWAY_LOG_LEVEL: 'info',
        npm_lifecycle_event: 'npx',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    try {
      const log = text(shell.stderr);
      for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false })) {
        if (/is ready after/.test(String(chunk))) break;
      }
      shell.kill('SIGTERM');
      shell.stdout.resume();
      await once(shell.stdout, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
      assert.match(await log, /npm has ended/);
      assert.ok(!existsSync(join(dataDir, 'lock')), 'its folder is free again');
    } finally {
      try {
        process.kill(-shell.pid!, 'SIGKILL');
      } catch {
        // All of them have ended.
      }
    }
  });
});

describe('a start that cannot work ends with one clear line and exit code 1', { concurrency: 3 }, () => {
  it('a port of the API that is taken', async () => {
    const taken = await listenOn(0);
    const port = String(portOf(taken));
    await expectRefusal({ SLIPWAY_PORT: port }, new RegExp(`\\b${port}\\b.*SLIPWAY_PORT`));
    await expectRefusal({ SLIPWAY_OPERATIONS_PORT: port }, new RegExp(`\\b${port}\\b.*SLIPWAY_OPERATIONS_PORT`));
    await close(taken);
  });

  it("a taken port of the chain's RPC, or of its WebSocket", async () => {
    const refused = async (rpcPort: number, port: number) => {
      const says = new RegExp(`\\b${port}\\b(?!.*--rpc-port).*SLIPWAY_RPC_PORT`);
      await expectRefusal({ SLIPWAY_RPC_PORT: String(rpcPort) }, says);
    };
    const taken = await listenOn(0);
    await refused(portOf(taken), portOf(taken));
    await close(taken);
    for (let tries = 1; ; tries++) {
      const socket = await listenOn(0);
      const port = portOf(socket);
      try {
        return await refused(port - 1, port);
      } catch (error) {
        // Somebody else has the one before it.
        if (tries === 5 || !String(error).includes(`port ${port - 1} `)) throw error;
      } finally {
        await close(socket);
      }
    }
  });

  it('a chain whose virtual machine is not installed for this platform', async () => {
    // The loader takes nothing but this file, which is not there: as where npm has installed no build.
    await expectRefusal(
      { NAPI_RS_NATIVE_LIBRARY_PATH: '/not/there.node' },
      /not installed for \w+-\w+: install again .*"npm ci"/,
    );
    const text = join(newFolder(), 'text.node');
    writeFileSync(text, 'no library');
    await expectRefusal({ NAPI_RS_NATIVE_LIBRARY_PATH: text }, /cannot load the virtual machine .*text\.node/);
  });

  it('a bad value, an unknown variable, and a combination that is not safe', async () => {
    const production = { SLIPWAY_RPC_URL: 'http://127.0.0.1:1', SLIPWAY_EMBEDDED_DATABASE: '1' };
    const cases: [Record<string, string>, RegExp][] = [
      [{ SLIPWAY_PORT: '70000' }, /SLIPWAY_PORT is "70000".*65535/],
      [{ SLIPWAY_PORT: '9000', SLIPWAY_RPC_PORT: '8999' }, /SLIPWAY_PORT.*SLIPWAY_RPC_PORT/],
      [{ SLIPWAY_PROT: '1' }, /SLIPWAY_PROT.*SLIPWAY_PORT\?/],
      [{ SLIPWAY_HOST: '0.0.0.0' }, /SLIPWAY_HOST.*SLIPWAY_SANDBOX/],
      [{ ...production, SLIPWAY_SIGNER_PASSPHRASE: 'x' }, /express\.receiver/],
    ];
    for (const [env, says] of cases) await expectRefusal(env, says);
  });

  it('with a line for each fault, where there are more', async () => {
    const { code, out, error } = await start({ SLIPWAY_RPC_URL: 'http://127.0.0.1:1', SLIPWAY_PORT: '70000' });
    assert.deepEqual([code, out], [1, '']);
    assert.match(error, /^slipway: 4 settings cannot be used:\n(?: {2}.*\n){4}$/);
    for (const name of ['SLIPWAY_SIGNER_PASSPHRASE', 'DATABASE_URL', 'express\\.receiver', 'SLIPWAY_PORT']) {
      assert.match(error, new RegExp(`\n  ${name} `));
    }
  });

  it('a field of the settings file that is unknown or cannot be used', async () => {
    const file = join(newFolder(), 'settings.json');
    const cases: [unknown, RegExp][] = [
      [{ express: { reciever: 'x' } }, /express\.reciever.*express\.receiver\?/],
      [{ fees: { percentile: 101 } }, /fees\.percentile.*100/],
      ['not json', /not valid JSON/],
    ];
    for (const [settings, says] of cases) {
      writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
      const error = await expectRefusal({ SLIPWAY_CONFIG: file }, says);
      assert.ok(error.includes(file));
    }
  });

  it('a database that cannot be reached, whose password is not told', async () => {
    const url = 'postgres://slipway:very-secret@127.0.0.1:1/slipway';
    const error = await expectRefusal({ DATABASE_URL: url }, /database.*127\.0\.0\.1/i);
    assert.ok(!error.includes('very-secret'));
  });

  it('a programs folder that is none, or that holds what is no program', async () => {
    const folder = newFolder();
    await expectRefusal({ SLIPWAY_PROGRAMS_DIR: join(folder, 'absent') }, /absent/);
    const { address } = generateKeypair();
    writeFileSync(join(folder, `${address}.so`), 'not an ELF file');
    await expectRefusal({ SLIPWAY_PROGRAMS_DIR: folder }, new RegExp(`${address}\\.so`));
  });

  it('a data folder that cannot be one', async () => {
    const file = join(newFolder(), 'a-file');
    writeFileSync(file, '');
    await expectRefusal({ SLIPWAY_DATA_DIR: file }, /a-file/);
  });

  it('attack: another user of the machine reads what a new data folder holds: it is closed to others', async () => {
    const folder = join(newFolder(), 'made', 'data');
    const taken = await listenOn(0);
    await start({ SLIPWAY_DATA_DIR: folder, SLIPWAY_PORT: String(portOf(taken)) });
    await close(taken);
    for (const made of [folder, join(folder, 'chain')]) assert.equal(statSync(made).mode & 0o777, 0o700, made);
  });

  it('a signer file that its passphrase does not open', async () => {
    const folder = newFolder();
    const env = { SLIPWAY_DATA_DIR: folder, SLIPWAY_SIGNER_PASSPHRASE: 'the right one' };
    // A start that ends before it listens makes the file too.
    const taken = await listenOn(0);
    await start({ ...env, SLIPWAY_PORT: String(portOf(taken)) });
    await close(taken);
    const wrong = await expectRefusal({ ...env, SLIPWAY_SIGNER_PASSPHRASE: 'a wrong one' }, /passphrase/);
    assert.ok(!wrong.includes('wrong one'));
  });

  it('attack: an operator by mistake takes a passphrase that can be guessed for a new signer file of production: refused', async () => {
    const settings = join(newFolder(), 'settings.json');
    writeFileSync(settings, JSON.stringify({ express: { receiver: generateKeypair().address } }));
    const dataDir = newFolder();
    const env = {
      SLIPWAY_SANDBOX: '0',
      SLIPWAY_RPC_URL: 'http://127.0.0.1:1',
      SLIPWAY_EMBEDDED_DATABASE: '1',
      SLIPWAY_CONFIG: settings,
      SLIPWAY_DATA_DIR: dataDir,
    };
    for (const length of [1, 19]) {
      await expectRefusal({ ...env, SLIPWAY_SIGNER_PASSPHRASE: 'x'.repeat(length) }, /PASSPHRASE.*20 characters/);
      assert.equal(existsSync(join(dataDir, 'signer.json')), false);
    }
  });

  it('attack: an operator by mistake names the router of sandboxes, whose key everybody has, on a chain that is none: refused', async () => {
    const settings = join(newFolder(), 'settings.json');
    const programs = { router: ROUTER_PROGRAM };
    writeFileSync(settings, JSON.stringify({ express: { receiver: generateKeypair().address }, programs }));
    const env = {
      SLIPWAY_SANDBOX: '0',
      SLIPWAY_RPC_URL: await foreignNode(),
      SLIPWAY_EMBEDDED_DATABASE: '1',
      SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of production',
      SLIPWAY_CONFIG: settings,
    };
    await expectRefusal(env, /programs\.router is 22eV.*at an address of your own/);
  });

  it('--reset in production', async () => {
    const receiver = join(newFolder(), 'settings.json');
    writeFileSync(receiver, JSON.stringify({ express: { receiver: generateKeypair().address } }));
    const dataDir = newFolder();
    writeFileSync(join(dataDir, 'signer.json'), 'precious');
    const env = {
      SLIPWAY_SANDBOX: '0',
      SLIPWAY_RPC_URL: 'http://127.0.0.1:1',
      SLIPWAY_EMBEDDED_DATABASE: '1',
      SLIPWAY_SIGNER_PASSPHRASE: 'x',
      SLIPWAY_CONFIG: receiver,
      SLIPWAY_DATA_DIR: dataDir,
    };
    await expectRefusal(env, /--reset.*sandbox/, ['--reset']);
    assert.equal(readFileSync(join(dataDir, 'signer.json'), 'utf8'), 'precious');
  });

  it('attack: an operator by mistake resets the folder of production from a shell without its settings: its keys stay', async () => {
    const settings = join(newFolder(), 'settings.json');
    writeFileSync(settings, JSON.stringify({ express: { receiver: generateKeypair().address } }));
    const dataDir = newFolder();
    writeFileSync(join(dataDir, 'signer.json'), 'precious');
    const production = {
      SLIPWAY_SANDBOX: '0',
      SLIPWAY_RPC_URL: 'http://127.0.0.1:1',
      SLIPWAY_EMBEDDED_DATABASE: '1',
      SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of production',
      SLIPWAY_CONFIG: settings,
      SLIPWAY_DATA_DIR: dataDir,
    };
    await expectRefusal(production, /signer/);
    await expectRefusal({ SLIPWAY_DATA_DIR: dataDir }, /--reset deletes nothing.*production has run there/, [
      '--reset',
    ]);
    assert.equal(readFileSync(join(dataDir, 'signer.json'), 'utf8'), 'precious');
  });
});

it('wrong usage ends with the usage and exit code 2, --help with exit code 0', async () => {
  for (const args of [['--rest'], ['--reset=yes'], ['now']]) {
    const { code, out, error } = await start({}, args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(error, /^slipway: .*\n\nUsage: /);
  }
  const { code, out, error } = await start({}, ['--help']);
  assert.deepEqual([code, error], [0, '']);
  assert.match(out, /^Usage: [\s\S]*--reset/);
});

describe('a signal', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} ends it with exit code 0 and frees ports and lock, whatever is connected`, async () => {
      const { child, ended, log, cwd, api, chain, socketUrl } = await startHere();
      const agent = new Agent({ keepAlive: true });
      await keepAliveRequest(`${api}/livez`, agent);
      await keepAliveRequest(`${chain}/health`, agent);
      // As browsers open ahead of need, and health checks that only connect.
      const silent = connect(Number(new URL(api).port), '127.0.0.1');
      await once(silent, 'connect');
      const socket = new WebSocket(socketUrl);
      const closed = once(socket, 'close');
      await once(socket, 'open');
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }));
      await once(socket, 'message');

      const before = log().length;
      child.kill(signal);
      const { code, error } = await ended;

      assert.equal(code, 0);
      await closed;
      agent.destroy();
      silent.destroy();
      const said = error.slice(before).split('\n');
      assert.deepEqual(
        said.filter((line) => /"level":[456]0/.test(line) && !STOOD_STILL.test(line)),
        [],
        'no warning and no error in the log',
      );
      assert.equal(existsSync(join(cwd, '.slipway', 'lock')), false);
      for (const url of [api, chain, socketUrl]) await close(await listenOn(Number(new URL(url).port)));
    });
  }

  it('lets a request that is under way have its answer', async () => {
    const { child, ended, api } = await startHere();
    const body = JSON.stringify({ wallet: generateKeypair().address, amount: '1000000000' });
    const headers = { 'x-api-key': 'sandbox', 'content-type': 'application/json', 'content-length': body.length };
    const sending = httpRequest(`${api}/sandbox/airdrop`, {
      method: 'POST',
      headers: { ...headers, expect: '100-continue' },
    });
    const answered = once(sending, 'response');
    sending.flushHeaders();
    // The service has the request, and says so.
    await once(sending, 'continue');
    sending.write(body.slice(0, 10));
    child.kill('SIGTERM');
    await refusesConnections(api);
    sending.end(body.slice(10));
    const [response] = await answered;
    assert.equal(response.statusCode, 200, await text(response));
    assert.equal((await ended).code, 0);
  });
});

/** Starts the service with its state where it is by default, in the working directory. */
async function startHere() {
  const cwd = newFolder();
  const program = launch(SERVICE, [], { env: { SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0' }, cwd });
  programs.push(program);
  const [, api = '', chain = '', socketUrl = ''] = await program.says(/API +(\S+)[\s\S]*Chain +(\S+) +WebSocket (\S+)/);
  await program.says(/npm run example:express\n/);
  return { ...program, cwd, api, chain, socketUrl };
}

async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/livez`)).text();
    } catch {
      return;
    }
  }
}

async function keepAliveRequest(url: string, agent: Agent): Promise<void> {
  const sending = httpRequest(url, { agent }).end();
  const [response] = await once(sending, 'response');
  response.resume();
  await once(response, 'end');
}

describe('the state', () => {
  const usdOf = async (service: Service) => (await infoOf(service)).mints.find(({ mint }) => mint === JUP)?.usdPrice;
  const statusWith = async (service: Service, key: string) =>
    (await request(`${service.url}/sandbox/info`, { headers: { 'x-api-key': key } })).status;

  it('survives a restart, also after kill -9; --reset starts over and deletes nothing else', async () => {
    let service = await startService({ database: 'embedded' });
    const { dataDir } = service;
    try {
      const wallet = await newWallet(service, 5_000_000_000n, 2n * PRICE);
      const { key } = await newKey(service);
      await request(`${service.url}/sandbox/prices`, { body: { mint: JUP, usd: 7.25 } });
      const { unixTimestamp } = (
        await request<{ unixTimestamp: number }>(`${service.url}/sandbox/clock`, { body: { seconds: 86_400 } })
      ).body;
      const balances = await balancesOf(service, wallet.address);
      assert.deepEqual(balances, { lamports: 5_000_000_000n, jup: 2n * PRICE });

      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await service.kill(signal);
        service = await startService({ dataDir });
        assert.deepEqual(await balancesOf(service, wallet.address), balances, signal);
        assert.equal(await statusWith(service, key), 200, signal);
        assert.equal(await usdOf(service), 7.25, signal);
        assert.ok((await infoOf(service)).unixTimestamp >= unixTimestamp, signal);
      }

      const second = await start({ SLIPWAY_DATA_DIR: dataDir });
      assert.match(
        second.error,
        /^slipway: .*in use by process (\d+): stop it \(kill \1\), or set SLIPWAY_DATA_DIR.*\n$/,
      );
      assert.equal(second.code, 1);
      const resetting = await start({ SLIPWAY_DATA_DIR: dataDir }, ['--reset']);
      assert.match(resetting.error, /^slipway: .*in use by process \d+.*\n$/);
      assert.equal(resetting.code, 1);
      assert.equal(await statusWith(service, key), 200, 'the running service has lost nothing');

      await service.kill('SIGTERM');
      writeFileSync(join(dataDir, 'notes.txt'), 'mine');
      mkdirSync(join(dataDir, 'pictures'));
      writeFileSync(join(dataDir, 'pictures', 'one.png'), 'mine too');
      service = await startService({ dataDir, args: ['--reset'] });
      assert.deepEqual(await balancesOf(service, wallet.address), { lamports: 0n, jup: 0n });
      assert.equal(await statusWith(service, key), 401);
      assert.equal(await usdOf(service), 0.42);
      assert.ok((await infoOf(service)).unixTimestamp < unixTimestamp, 'the clock is back');
      assert.equal(readFileSync(join(dataDir, 'notes.txt'), 'utf8'), 'mine');
      assert.deepEqual(readdirSync(join(dataDir, 'pictures')), ['one.png']);
    } finally {
      await service.close();
    }
  });

  it('can be reset where the signer file stands elsewhere', async () => {
    const env = { SLIPWAY_SIGNER_FILE: join(newFolder(), 'signer.json') };
    let service = await startService({ env, database: 'embedded' });
    const { dataDir } = service;
    try {
      await service.kill('SIGTERM');
      service = await startService({ env, dataDir, args: ['--reset'] });
      assert.equal((await infoOf(service)).wallets.length > 0, true);
    } finally {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
