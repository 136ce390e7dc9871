import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { startTestServer } from '../../http/testing.js';
import { type EventScore, getScore, putScores } from '../../store/scores.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { registerPrediction } from './index.js';

const LIVE: EventScore = {
  eventId: 'POLY-351731',
  gameId: '90086923',
  live: true,
  ended: false,
  updatedAt: '2026-06-27T19:01:02.345Z',
  leagueAbbreviation: 'fifwc',
  homeTeam: 'France',
  awayTeam: 'Senegal',
  score: '2-0',
  period: '2H',
  elapsed: '90',
  status: 'InProgress',
};
const ENDED: EventScore = {
  ...LIVE,
  eventId: 'POLY/é 1',
  live: false,
  ended: true,
  finishedTimestamp: '2026-06-27T19:01:02.345Z',
};
/** What a provider reports for a sport that it knows little about. */
const SPARSE: EventScore = { ...LIVE, eventId: 'POLY-3', homeTeam: null, awayTeam: null, elapsed: null, status: null };

let store: Store;
let app: FastifyInstance;

before(async () => {
  store = await openAnyStore();
  await store.transaction((tx) => putScores(tx, [LIVE, ENDED, SPARSE], Date.now()));
  ({ app } = await startTestServer((server) =>
    registerPrediction(server, { scoreOf: (eventId) => getScore(store, eventId) }),
  ));
});
after(async () => {
  await app.close();
  await store.close();
});

const get = (path: string, key = 'good-key') =>
  app.inject({ method: 'GET', url: `/prediction/v1/events/${path}`, headers: { 'x-api-key': key } });

test('a score is answered whole, with null for what the provider does not say', async () => {
  for (const score of [LIVE, ENDED, SPARSE]) {
    const answer = await get(`${encodeURIComponent(score.eventId)}/score`);
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), score);
  }
});

test('an event without a score is answered by the four bytes null, as JSON', async () => {
  const answer = await get('POLY-0/score');
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json(;|$)/);
  assert.deepEqual([...answer.rawPayload], [...Buffer.from('null')]);
  assert.equal(answer.headers['content-length'], '4');
});

test('several scores come in the order of the question, each once, without the unknown ones', async () => {
  const ids = [SPARSE.eventId, 'unknown', LIVE.eventId, SPARSE.eventId, 'unknown too'];
  const answer = await get(`scores?eventIds=${ids.map(encodeURIComponent).join(',')}`);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json(), { data: [SPARSE, LIVE] });
  assert.deepEqual((await get('scores?eventIds=unknown')).json(), { data: [] });
});

test('100 events can be asked for, 101 cannot', async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `E-${index}`).join(',');
  assert.deepEqual((await get(`scores?eventIds=${ids(99)},POLY-351731`)).json(), { data: [LIVE] });
  const answer = await get(`scores?eventIds=${ids(101)}`);
  assert.equal(answer.statusCode, 400);
  assert.match(answer.json().message, /^eventIds: .*100/);
});

test('a bad event id is refused by name, in the shape of the area', async () => {
  const long = 'x'.repeat(10_000);
  const cases: [string, string][] = [
    ['/score', 'eventId'],
    [`${long}/score`, 'eventId'],
    ['%00/score', 'eventId'],
    ['a%00b/score', 'eventId'],
    ['scores', 'eventIds'],
    ['scores?eventIds=', 'eventIds'],
    ['scores?eventIds=,', 'eventIds'],
    ['scores?eventIds=a,,b', 'eventIds'],
    ['scores?eventIds=a&eventIds=b', 'eventIds'],
    ['scores?eventIds=a,b%00', 'eventIds'],
    [`scores?eventIds=${long}`, 'eventIds'],
    [`scores?eventIds=a,${'x'.repeat(201)}`, 'eventIds'],
    [`scores?eventIds=${','.repeat(10_000)}`, 'eventIds'],
  ];
  for (const [path, field] of cases) {
    const answer = await get(path);
    const body = answer.json();
    assert.equal(answer.statusCode, 400, path.slice(0, 40));
    assert.deepEqual([body.type, body.param], ['invalid_request_error', field], path.slice(0, 40));
    assert.ok(body.message.startsWith(`${field}: `), body.message);
    assert.equal(body.request_id, answer.headers['x-api-gateway-request-id']);
    assert.ok(!body.message.includes('xxx'), 'what was given is not repeated');
  }
});

test('an id that is 200 characters long is asked for, one of 201 is refused', async () => {
  assert.equal((await get(`${'é'.repeat(200)}/score`)).body, 'null');
  assert.equal((await get(`${'é'.repeat(201)}/score`)).statusCode, 400);
});

test('a caller without a known key is refused in the shape of the area', async () => {
  for (const path of ['SIM-1/score', 'scores?eventIds=SIM-1']) {
    const answer = await get(path, 'unknown');
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.json().type, 'authentication_error');
  }
});

test('an id is compared to the letter', async () => {
  for (const id of ['poly-351731', ' POLY-351731', 'POLY-351731 ', "POLY-351731' or '1'='1"]) {
    assert.equal((await get(`${encodeURIComponent(id)}/score`)).body, 'null');
  }
});
