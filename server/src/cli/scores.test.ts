import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { registerPrediction } from '../areas/prediction/index.js';
import { startTestServer } from '../http/testing.js';
import type { EventScore } from '../store/scores.js';
import { StoreUnavailable } from '../store/sql.js';
import { runCli } from './main.js';

const scoreOf = (eventId: string, changes: Partial<EventScore> = {}): EventScore => ({
  eventId,
  gameId: 'g',
  live: true,
  ended: false,
  updatedAt: '2026-11-21T16:00:00.000Z',
  leagueAbbreviation: 'nfl',
  homeTeam: 'KC',
  awayTeam: 'DEN',
  score: '7-10',
  period: 'Q4',
  elapsed: '5:18',
  status: 'InProgress',
  ...changes,
});

let app: FastifyInstance;
let url: string;
let scores: Map<string, EventScore>;
let away = false;

before(async () => {
  ({ app } = await startTestServer((server) =>
    registerPrediction(server, {
      scoreOf: async (eventId) => {
        if (away) throw new StoreUnavailable(new Error('gone'));
        return scores.get(eventId);
      },
    }),
  ));
  url = await app.listen({ port: 0 });
});
after(() => app.close());
beforeEach(() => {
  scores = new Map([['E-1', scoreOf('E-1')]]);
  away = false;
});

/** Starts a command; `out` and `err` grow as it speaks. */
function start(argv: string[], env: Record<string, string> = { SLIPWAY_API_KEY: 'good-key' }) {
  const out: string[] = [];
  const err: string[] = [];
  const context = { env, cwd: '/', colors: false };
  const done = runCli(['scores', 'watch', ...argv, '--url', url], {
    ...context,
    stdout: (text) => out.push(text),
    stderr: (text) => err.push(text),
  });
  return { out, err, done };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

test('what is known is printed once, in the order of the question', async () => {
  scores.set('E-2', scoreOf('E-2', { live: false, ended: true, elapsed: null, homeTeam: null, status: 'Final' }));
  const { out, err, done } = start(['E-3', 'E-2,E-1', 'E-2', '--for', '0']);
  assert.equal(await done, 0);
  assert.deepEqual(out, [
    'E-3  no score yet',
    '2026-11-21T16:00:00.000Z  E-2  ended  ? 7-10 DEN  Q4  Final',
    '2026-11-21T16:00:00.000Z  E-1  live  KC 7-10 DEN  Q4  5:18  InProgress',
  ]);
  assert.deepEqual(err, []);
});

test('more events than the API takes at a time are asked for in parts', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `E-${index}`);
  for (const eventId of ids) scores.set(eventId, scoreOf(eventId));
  const { out, done } = start([...ids, '--for', '0', '--json']);
  assert.equal(await done, 0);
  assert.deepEqual(
    out.map((line) => JSON.parse(line).eventId),
    ids,
  );
});

test('changes are printed, an outage is told once and waited for, and Ctrl-C ends it well', async () => {
  const { out, err, done } = start(['E-1', 'E-2', '--json']);
  await until(() => out.length === 1);
  away = true;
  await until(() => err.length === 1);
  scores.set('E-2', scoreOf('E-2', { score: '0-0' }));
  away = false;
  await until(() => out.length === 2);
  process.emit('SIGINT');
  assert.equal(await done, 0);
  assert.deepEqual(
    out.map((line) => JSON.parse(line)),
    [scores.get('E-1'), scores.get('E-2')],
  );
  assert.match(JSON.parse(err[0]!).error, /503; trying again/);
  assert.equal(err.length, 1);
});

test('what a provider writes does not reach the terminal as commands', async () => {
  scores.set('E-1', scoreOf('E-1', { homeTeam: '\u001b[2J\u009b31mKC\r\n', status: '\u0007Final' }));
  const { out, done } = start(['E-1', '--for', '0']);
  assert.equal(await done, 0);
  assert.doesNotMatch(out.join(''), /\p{Cc}/u);
  assert.match(out[0]!, /KC/);
});

test('what cannot be watched is said', async () => {
  const cases: [string[], Record<string, string> | undefined, number, RegExp][] = [
    [['E-1'], { SLIPWAY_API_KEY: 'unknown' }, 1, /SLIPWAY_API_KEY/],
    [['E-1'], {}, 1, /SLIPWAY_API_KEY/],
    [[], undefined, 2, /name the events/],
    [['x'.repeat(201)], undefined, 1, /eventIds: .*\(400\)/],
    [['a,,b'], undefined, 1, /eventIds: .*\(400\)/],
  ];
  for (const [argv, env, expected, says] of cases) {
    const { out, err, done } = start(argv, env);
    assert.equal(await done, expected, argv.join(' ').slice(0, 20));
    assert.match(err.join(), says);
    assert.deepEqual(out, []);
  }
  away = true;
  const { err, done } = start(['E-1']);
  assert.equal(await done, 1);
  assert.match(err.join(), /503/);
});
