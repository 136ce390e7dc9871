import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer as Documented } from '@slipway/client';
import { type WebSocket, WebSocketServer } from 'ws';
import { admin } from './admin.js';
import { type Answer, request, type Service, startService } from './service.js';

type Score = NonNullable<Documented<'get', '/prediction/v1/events/{eventId}/score'>>;

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const EVENTS = '/prediction/v1/events';
const get = <T>(path: string, headers = {}): Promise<Answer<T>> =>
  request<T>(`${service.url}${EVENTS}/${path}`, { headers });
const scoreOf = async (eventId: string): Promise<Score> => (await get<Score>(`${eventId}/score`)).body;
const advance = (seconds: number) => request(`${service.url}/sandbox/clock`, { body: { seconds } });

const EVENT_IDS = ['SIM-1', 'SIM-2', 'SIM-3', 'SIM-4', 'SIM-5'];

describe('the games of the sandbox', () => {
  it('are there from the first moment, SIM-1 live', async () => {
    const { status, body } = await get<{ data: Score[] }>(`scores?eventIds=${EVENT_IDS.join(',')}`);
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map(({ eventId }) => eventId),
      EVENT_IDS,
    );
    const [first, ...others] = body.data;
    assert.deepEqual([first!.live, first!.ended], [true, false]);
    for (const { live, ended, updatedAt } of others) {
      assert.deepEqual([live, ended], [false, false]);
      assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it('move with the clock: they begin, end for good, and SIM-1 stays live', async () => {
    await advance(12 * 60);
    for (const eventId of EVENT_IDS) assert.deepEqual([eventId, (await scoreOf(eventId)).live], [eventId, true]);

    await advance(6 * 3_600);
    const ends = await Promise.all(EVENT_IDS.slice(1).map(scoreOf));
    for (const { eventId, live, ended, finishedTimestamp, updatedAt } of ends) {
      assert.deepEqual([eventId, live, ended, finishedTimestamp], [eventId, false, true, updatedAt]);
    }
    await advance(30 * 86_400);
    assert.deepEqual(await Promise.all(EVENT_IDS.slice(1).map(scoreOf)), ends);
    const { live, ended } = await scoreOf('SIM-1');
    assert.deepEqual([live, ended], [true, false]);
  });

  it('are not set by the operator', async () => {
    const { score: _, ...rest } = await scoreOf('SIM-1');
    const { eventId, ...body } = {
      ...rest,
      score: '99-0',
      live: false,
      ended: true,
      updatedAt: '2099-01-01T00:00:00Z',
    };
    assert.equal((await admin(service, 'PUT', `/scores/${eventId}`, body)).status, 409);
    assert.equal((await scoreOf('SIM-1')).live, true);
  });

  it('go on where they were after a kill', async () => {
    const before = await Promise.all(EVENT_IDS.slice(1).map(scoreOf));
    const { dataDir } = service;
    await service.kill();
    service = await startService({ dataDir });
    assert.deepEqual(await Promise.all(EVENT_IDS.slice(1).map(scoreOf)), before);
    assert.equal((await scoreOf('SIM-1')).live, true);
  });
});

describe('the score of an event', () => {
  const game = {
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

  it('is what the operator has set, to the field', async () => {
    await admin(service, 'PUT', '/scores/POLY-351731', game);
    assert.deepEqual(await scoreOf('POLY-351731'), { eventId: 'POLY-351731', ...game });
  });

  it('does not go back: not by a late update, and not from its end', async () => {
    const put = (changes: object) => admin(service, 'PUT', '/scores/POLY-2', { ...game, ...changes });
    await put({ score: '1-0' });
    await put({ score: '0-0', updatedAt: '2026-06-27T19:01:02.344Z' });
    assert.equal((await scoreOf('POLY-2')).score, '1-0');
    await put({ live: false, ended: true, updatedAt: '2026-06-27T19:03:00Z' });
    await put({ live: true, ended: false, updatedAt: '2026-06-27T19:04:00Z', status: 'InProgress' });
    const { live, ended, finishedTimestamp } = await scoreOf('POLY-2');
    assert.deepEqual([live, ended, finishedTimestamp], [false, true, '2026-06-27T19:03:00.000Z']);
  });

  it('is the four bytes null where there is none', async () => {
    const headers = { 'x-api-key': 'sandbox' };
    const response = await fetch(`${service.url}${EVENTS}/POLY-0/score`, { headers });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(response.headers.get('content-length'), '4');
    assert.equal(await response.text(), 'null');
  });

  it('is refused for what is no event id, in the shape of the area', async () => {
    const tooMany = Array.from({ length: 101 }, (_, index) => `E-${index}`).join(',');
    const cases: [string, string][] = [
      ['/score', 'eventId'],
      [`${'x'.repeat(10_000)}/score`, 'eventId'],
      ['%00/score', 'eventId'],
      ['scores', 'eventIds'],
      ['scores?eventIds=', 'eventIds'],
      ['scores?eventIds=SIM-1,', 'eventIds'],
      ['scores?eventIds=SIM-1,%00', 'eventIds'],
      [`scores?eventIds=${tooMany}`, 'eventIds'],
      [`scores?eventIds=${'x'.repeat(10_000)}`, 'eventIds'],
    ];
    for (const [path, param] of cases) {
      const { status, body } = await get<Record<string, unknown>>(path);
      assert.equal(status, 400, path.slice(0, 50));
      assert.deepEqual([body.type, body.param], ['invalid_request_error', param]);
      assert.deepEqual(Object.keys(body).sort(), ['code', 'message', 'param', 'request_id', 'type']);
    }
    const { status, body } = await get<Record<string, unknown>>('SIM-1/score', { 'x-api-key': 'wrong' });
    assert.deepEqual([status, body.type], [401, 'authentication_error']);
  });

  it('is left out of a list where there is none', async () => {
    const { body } = await get<{ data: Score[] }>('scores?eventIds=none,POLY-351731,also-none,SIM-1,POLY-351731');
    assert.deepEqual(
      body.data.map(({ eventId }) => eventId),
      ['POLY-351731', 'SIM-1'],
    );
  });
});

describe('the sports channel', () => {
  const game = {
    gameId: 5968000,
    leagueAbbreviation: 'atp',
    homeTeam: 'A. Ace',
    awayTeam: 'L. Let',
    status: 'inprogress',
    score: '4-6, 1-2',
    period: 'S2',
    live: true,
    ended: false,
  };
  const end = { status: 'finished', score: '4-6, 2-6', period: 'FT', live: false, ended: true };
  let channel: WebSocketServer;
  let client: WebSocket | undefined;
  let fed: Service;
  let restart: () => Promise<Service>;
  before(async () => {
    channel = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    channel.on('connection', (socket) => {
      client = socket;
    });
    await once(channel, 'listening');
    const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ scores: { games: { 'POLY-7': '5968000' } } }));
    const env = { SLIPWAY_SCORES_URL: `ws://127.0.0.1:${(channel.address() as AddressInfo).port}/ws?key=secret` };
    restart = () => startService({ env, dataDir });
    fed = await restart();
  });
  after(async () => {
    await fed?.close();
    for (const socket of channel.clients) socket.terminate();
    channel.close();
  });

  /** Says it on each connection, which the service may give up for another, and waits until it is to be read. */
  const say = async (message: object): Promise<Score> => {
    for (let told: WebSocket | undefined; ; ) {
      if (client !== told) {
        told = client;
        client?.send('ping');
        client?.send(JSON.stringify(message));
      }
      const { body } = await request<Score | null>(`${fed.url}${EVENTS}/POLY-7/score`);
      if (body?.score === (message as Score).score) return body;
      await sleep(5);
    }
  };

  it('tells the scores of the games that are configured, also after it was away and after a restart', async () => {
    const { updatedAt, ...score } = await say(game);
    assert.ok(Math.abs(Date.parse(updatedAt) - Date.now()) < 60_000);
    assert.deepEqual(score, { eventId: 'POLY-7', ...game, gameId: '5968000', elapsed: null });

    client!.terminate();
    client = undefined;
    assert.equal((await say({ ...game, score: '4-6, 1-3' })).live, true);

    await fed.kill('SIGTERM');
    client = undefined;
    fed = await restart();
    const ended = await say({ ...game, ...end });
    assert.deepEqual([ended.live, ended.ended, ended.finishedTimestamp], [false, true, ended.updatedAt]);
    assert.deepEqual((await say({ ...game, score: '4-6, 2-6 ' })).finishedTimestamp, ended.finishedTimestamp);
    assert.doesNotMatch(fed.log(), /secret/);
  });
});
