import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type LogsPage, registerAdmin } from '../areas/admin/index.js';
import { startTestServer } from '../http/testing.js';
import { RecentLines } from '../lib/recent-lines.js';
import { createSecretBox } from '../signer/index.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import { runCli } from './main.js';

const TOKEN = 'admin-secret-token';
let folder: string;
let store: Store;
let app: FastifyInstance;
let without: FastifyInstance;
let url: string;
let keeper: string;

/** The process that answers: each has lines of its own. */
interface Copy {
  copy: string;
  startedAt: string;
  lines: RecentLines;
  log: Logger;
}
let copy: Copy;
let wall = 0;

function startCopy(name: string, startedAt: number): Copy {
  const lines = new RecentLines();
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  return { copy: name, startedAt: new Date(startedAt).toISOString(), lines, log };
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-logs-'));
  store = await openAnyStore();
  const box = createSecretBox(Buffer.alloc(32, 1));
  const log = {
    get lines() {
      return copy.lines;
    },
    get copy() {
      return copy.copy;
    },
    get startedAt() {
      return copy.startedAt;
    },
    now: () => wall,
  };
  ({ app } = await startTestServer((server) =>
    registerAdmin(server, {
      rootToken: async () => TOKEN,
      store,
      box: async () => box,
      clock: { now: () => wall },
      mayCall: () => true,
      tiers: [],
      simulatedEvents: [],
      whyNotPaid: async () => undefined,
      log,
    }),
  ));
  ({ app: without } = await startTestServer());
  url = await app.listen({ port: 0 });
  keeper = await without.listen({ port: 0 });
});

after(async () => {
  await app.close();
  await without.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  wall = 2_000;
  copy = startCopy('web-1:7', 1_000);
});

async function logs(args: string[], heard: (text: string) => void = () => {}, at = url) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(['logs', '--url', at, ...args], {
    env: { SLIPWAY_ADMIN_TOKEN: TOKEN },
    cwd: folder,
    stdout(text) {
      out.push(text);
      heard(text);
    },
    stderr: (text) => err.push(text),
    colors: false,
  });
  return { code, out, err: err.join('\n') };
}

test('the last lines are printed for people, with what they say and whose log it is', async () => {
  copy.log.info('old');
  copy.log.warn({ requestId: 'r-1', part: 'two words', count: 2 }, 'slow');
  const cause = { type: 'Error', message: 'connect ECONNREFUSED', stack: 'at x' };
  const error = { type: 'Outage', message: 'the RPC is away\nand more', stack: 'Outage\n  at y', cause };
  copy.log.error({ requestId: 'r-2', status: 503, error }, 'request failed');
  const { code, out, err } = await logs(['--lines', '2']);
  assert.equal(code, 0);
  assert.equal(err, 'the log of web-1:7, which runs since 1970-01-01T00:00:01.000Z');
  assert.deepEqual(
    out.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\S+Z {2}/, '')),
    [
      'warn   slow  part="two words"  count=2  requestId=r-1',
      'error  request failed  status=503  error=Outage: the RPC is away, because of Error: connect ECONNREFUSED  requestId=r-2',
    ],
  );
  assert.deepEqual((await logs(['--lines', '0'])).out, []);
});

test('lines are chosen by level and by request, and are JSON for programs', async () => {
  for (const requestId of ['r-1', 'r-10', 'r-1'])
    for (const level of ['debug', 'info', 'error', 'fatal'] as const) copy.log[level]({ requestId }, level);
  copy.log.fatal({ told: '"requestId":"r-1"', inner: { requestId: 'r-1' } }, 'about none');
  const { out } = await logs(['--request', 'r-1', '--level', 'error', '--json']);
  const lines = out.map((text) => JSON.parse(text) as LogsPage['lines'][number]);
  assert.deepEqual(
    lines.map(({ number, level, requestId, message, facts }) => [number, level, requestId, message, facts]),
    [
      [3, 'error', 'r-1', 'error', {}],
      [4, 'fatal', 'r-1', 'fatal', {}],
      [11, 'error', 'r-1', 'error', {}],
      [12, 'fatal', 'r-1', 'fatal', {}],
    ],
  );
  assert.equal((await logs(['--level', 'trace'])).out.length, 13);
});

test('all lines that are kept come, in several pages', async () => {
  for (let at = 1; at <= 2_300; at += 1) copy.log.info(`line ${at}`);
  const { out } = await logs(['--lines', '2000', '--json']);
  const numbers = out.map((text) => (JSON.parse(text) as { number: number }).number);
  assert.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [2_000, 301, 2_300]);
});

test('--follow goes on after a restart, says what it has missed, and ends where several copies answer', async () => {
  copy.log.info('one');
  const first = copy;
  const then: Record<string, () => void> = {
    one: () => copy.log.info('two'),
    // So many at once that the first of them are gone before they are read.
    two() {
      for (let at = 0; at < 2_005; at += 1) copy.log.debug('flood');
      copy.log.info('three');
    },
    three() {
      wall = 9_000;
      copy = startCopy('web-1:7', 8_000);
      copy.log.info('started');
    },
    // Not a restart: the process of before still answers.
    started() {
      copy = first;
    },
  };
  const { code, out, err } = await logs(['--follow', '--json'], (text) =>
    then[(JSON.parse(text) as { message: string }).message]?.(),
  );
  const messages = out.map((text) => JSON.parse(text) as { number: number; message: string });
  assert.deepEqual(
    messages.filter(({ message }) => message !== 'flood').map(({ number, message }) => [number, message]),
    [
      [1, 'one'],
      [2, 'two'],
      [2_008, 'three'],
      [1, 'started'],
    ],
  );
  const said = err.split('\n').map((text) => JSON.parse(text) as { message?: string; error?: string });
  assert.deepEqual(
    said.slice(0, -1).map(({ message }) => message),
    [
      'the log of web-1:7, which runs since 1970-01-01T00:00:01.000Z',
      '6 lines came faster than they were read, and are gone',
      'the service has started again, and its lines begin with 1; the log of web-1:7, which runs since 1970-01-01T00:00:08.000Z',
    ],
  );
  assert.match(
    said.at(-1)!.error!,
    /^several copies of the service answer at http.*: web-1:7 and web-1:7 do\. .*--url/,
  );
  assert.equal(code, 1);
});

test('copies that run beside each other are told at once', async () => {
  copy.log.info('one');
  const { code, err } = await logs(['--follow'], () => {
    copy = startCopy('web-2:7', 1_500);
  });
  assert.equal(code, 1);
  assert.match(err, /several copies of the service answer at \S+, and each has its own log: web-1:7 and web-2:7 do/);
});

test('where no service runs, or none that shows its log, it says where the log is', async () => {
  const away = await logs([], undefined, 'http://127.0.0.1:1');
  assert.match(away.err, /does not answer: .*slipway serve.* in its terminal, in "journalctl --unit slipway"/);
  const hidden = await logs([], undefined, keeper);
  assert.match(hidden.err, /has no admin API.*in "docker logs"/);
  assert.deepEqual([away.code, hidden.code], [1, 1]);
});
