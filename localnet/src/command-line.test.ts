import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine, UsageError } from './command-line.js';

test('without flags the environment counts, and then the defaults', () => {
  assert.deepEqual(parseCommandLine([], {}), {
    host: '127.0.0.1',
    rpcPort: 8899,
    hosts: [],
    dataDir: '.slipway/chain',
    reset: false,
    help: false,
  });
  const env = {
    SLIPWAY_RPC_PORT: '9000',
    SLIPWAY_DATA_DIR: '/data',
    SLIPWAY_PROGRAMS_DIR: '/programs',
    SLIPWAY_FORK_URL: 'https://rpc.example',
    SLIPWAY_HOSTS: 'chain,other.example',
  };
  assert.deepEqual(parseCommandLine([], env), {
    host: '127.0.0.1',
    rpcPort: 9000,
    hosts: ['chain', 'other.example'],
    dataDir: '/data/chain',
    programsDir: '/programs',
    forkUrl: 'https://rpc.example',
    reset: false,
    help: false,
  });
});

test('a flag wins over the environment, in both spellings', () => {
  const env = { SLIPWAY_RPC_PORT: '9000', SLIPWAY_DATA_DIR: '/data' };
  const given = parseCommandLine(['--rpc-port', '0', '--data-dir=/other', '--ws-port=7001', '--reset'], env);
  assert.equal(given.rpcPort, 0);
  assert.equal(given.wsPort, 7001);
  assert.equal(given.dataDir, '/other/chain');
  assert.equal(given.reset, true);
});

test('an unknown flag is refused with the nearest known one', () => {
  for (const [flag, meant] of [
    ['--rpcport', '--rpc-port'],
    ['--rest', '--reset'],
    ['--fork=x', '--fork-url'],
    ['--programs', '--programs-dir'],
  ] as const) {
    assert.throws(
      () => parseCommandLine([flag], {}),
      (error: Error) => error instanceof UsageError && error.message.includes(`did you mean ${meant}?`),
      flag,
    );
  }
});

test('a wrong value is refused by the name it was given under', () => {
  const refused: [string[], Record<string, string>, RegExp][] = [
    [['--rpc-port', '70000'], {}, /^--rpc-port: expected a port .* got "70000"$/],
    [['--rpc-port', '80x'], {}, /^--rpc-port: /],
    [[], { SLIPWAY_RPC_PORT: 'abc' }, /^SLIPWAY_RPC_PORT: /],
    [['--data-dir'], {}, /^--data-dir needs a value$/],
    [['--data-dir', '--reset'], {}, /^--data-dir needs a value$/],
    [['--reset=yes'], {}, /^--reset takes no value$/],
  ];
  for (const [args, env, message] of refused) {
    assert.throws(() => parseCommandLine(args, env), { message });
  }
});
