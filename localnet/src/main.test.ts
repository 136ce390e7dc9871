import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'localnet-main-'));
});
after(() => rm(folder, { recursive: true }));

function run(args: string[], env: Record<string, string> = {}): ChildProcess {
  const { SLIPWAY_RPC_PORT, SLIPWAY_DATA_DIR, SLIPWAY_PROGRAMS_DIR, SLIPWAY_FORK_URL, ...clean } = process.env;
  return spawn(process.execPath, [MAIN, ...args], { env: { ...clean, ...env } });
}

/** What the process prints until it lists the last wallet. */
async function greeting(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += chunk;
    if (/^ {2}erin .*\n/m.test(printed)) return printed;
  }
  throw new Error(`it ended early: ${printed}${await text(child.stderr!)}`);
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  assert.deepEqual(await exited, [0, null], 'it ends by itself');
}

async function call(printed: string, method: string, params: unknown[]) {
  const url = /RPC +(\S+)/.exec(printed)?.[1] ?? '';
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: { value: unknown } }).result;
}

test('it tells where it is and who has money, keeps its state, and starts over with --reset', async () => {
  const env = { SLIPWAY_DATA_DIR: folder, SLIPWAY_RPC_PORT: '0' };
  const first = run([], env);
  const printed = await greeting(first);
  assert.match(printed, /RPC +http:\/\/127\.0\.0\.1:\d+\n/);
  assert.match(printed, /WebSocket +ws:\/\/127\.0\.0\.1:\d+\n/);
  const alice = /alice +(\S+)/.exec(printed)?.[1] ?? '';
  await call(printed, 'requestAirdrop', [alice, 7]);
  await stop(first, 'SIGTERM');

  const second = run([], env);
  assert.deepEqual((await call(await greeting(second), 'getBalance', [alice])).value, 10_000_000_000_007);
  const third = run(['--reset'], env);
  assert.match(await text(third.stderr!), /in use/);
  await stop(second, 'SIGINT');

  const fourth = run(['--reset'], env);
  assert.deepEqual((await call(await greeting(fourth), 'getBalance', [alice])).value, 10_000_000_000_000);
  await stop(fourth, 'SIGINT');
});

test('mistakes end it with one line and status 1', async () => {
  for (const [args, message, env] of [
    [['--rpc-prt', '1'], /^unknown option --rpc-prt: did you mean --rpc-port\?.*\n$/],
    [['--rpc-port', '0', '--data-dir', folder, '--programs-dir', join(folder, 'none')], /^localnet: .*none.*\n$/],
    [['--rpc-port', '0'], /^localnet: .* not installed for .*\n$/, { NAPI_RS_NATIVE_LIBRARY_PATH: '/not/there.node' }],
  ] as const) {
    const child = run([...args], env);
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    assert.match(stderr, message);
    assert.equal(code, 1);
  }
});

test('--help shows the options', async () => {
  const child = run(['--help']);
  const [stdout, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  assert.match(stdout, /--rpc-port/);
  assert.equal(code, 0);
});
