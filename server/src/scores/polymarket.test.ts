import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventScore } from '../store/scores.js';
import type { ScoreFeed } from './feed.js';
import { createPolymarketFeed, type FeedTiming } from './polymarket.js';

/** One message of every shape that the channel is known to send. */
const SOCCER = {
  gameId: 90086923,
  leagueAbbreviation: 'fifwc',
  homeTeam: 'France',
  awayTeam: 'Senegal',
  status: 'InProgress',
  eventState: {
    type: 'soccer',
    createdAt: '2026-06-27T19:01:02.345678901Z',
    updatedAt: '2026-06-27T19:01:02.345678901Z',
    score: '2-0',
    elapsed: '90',
    period: '2H',
    live: true,
    ended: false,
  },
  score: '2-0',
  elapsed: '90',
  period: '2H',
  live: true,
  ended: false,
};
const FOOTBALL = {
  gameId: 19500,
  leagueAbbreviation: 'nfl',
  slug: 'nfl-den-kc-2026-11-22',
  homeTeam: 'KC',
  awayTeam: 'DEN',
  status: 'InProgress',
  score: '7-10',
  period: 'Q4',
  elapsed: '5:18',
  live: true,
  ended: false,
  turn: 'kc',
};
const TENNIS = {
  gameId: 5968000,
  leagueAbbreviation: 'wta challenger',
  homeTeam: 'A. Ace',
  awayTeam: 'L. Let',
  status: 'inprogress',
  score: '4-6, 1-2',
  period: 'S2',
  live: true,
  ended: false,
};
const ESPORTS_END = {
  gameId: 1317000,
  leagueAbbreviation: 'cs2',
  slug: 'cs2-one-two-2026-11-21',
  homeTeam: 'One',
  awayTeam: 'Two',
  status: 'finished',
  score: '000-000|2-0|Bo3',
  period: '2/3',
  live: false,
  ended: true,
  finished_timestamp: '2026-11-21T15:30:00.000Z',
};
const CRICKET_END = {
  metadataGameId: 'id27000',
  leagueAbbreviation: 'cricket',
  score: '116-38',
  period: 'FT',
  live: false,
  ended: true,
  finishedTimestamp: '2026-11-21T15:40:00.123456789Z',
};

const GAMES = {
  'POLY-1': '90086923',
  'POLY-1-GOALS': '90086923',
  'POLY-2': 'nfl-den-kc-2026-11-22',
  'POLY-3': '5968000',
  'POLY-4': '1317000',
  'POLY-5': 'id27000',
};

const NOW = Date.UTC(2026, 10, 21, 16);
const FAST: FeedTiming = { firstRetryMs: 2, maxRetryMs: 10, silenceMs: 10_000 };

/** Stands for the sports channel: a server that the test tells what to say. */
let server: Server;
let sockets: WebSocketServer;
let port: number;
/** How many of the next connections are refused before their handshake. */
let refusals = 0;
let connections = 0;
let clients: WebSocket[] = [];

before(async () => {
  sockets = new WebSocketServer({ noServer: true });
  server = createServer();
  server.on('upgrade', (request, socket, head) => {
    connections += 1;
    if (refusals > 0) {
      refusals -= 1;
      socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
    } else {
      sockets.handleUpgrade(request, socket, head, (client) => {
        clients.push(client);
        sockets.emit('connection', client);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  for (const client of clients) client.terminate();
  server.close();
});

const feeds: ScoreFeed[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.close();
});
beforeEach(() => {
  clients = [];
  connections = 0;
  refusals = 0;
});

function openFeed(timing = FAST) {
  let text = '';
  const sink = {
    write(line: string) {
      text += line;
    },
  };
  const log = pino({ level: 'trace' }, sink);
  const clock = { time: NOW, now: () => clock.time };
  const url = `ws://127.0.0.1:${port}/secret-path?token=secret`;
  const feed = createPolymarketFeed({ url, games: GAMES, clock, log, timing });
  feeds.push(feed);
  const scores: EventScore[] = [];
  feed.open((score) => scores.push(score));
  return { feed, scores, clock, logged: () => text };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(1);
}

const connected = async (count = 1): Promise<WebSocket> => {
  await until(() => clients.length >= count);
  return clients[count - 1]!;
};

const tell = (client: WebSocket, ...messages: unknown[]) => {
  for (const message of messages) client.send(typeof message === 'string' ? message : JSON.stringify(message));
};

describe('what the channel says', () => {
  it('becomes the score of every event behind the game, whatever the sport', async () => {
    const { scores } = openFeed();
    tell(await connected(), SOCCER, FOOTBALL, TENNIS, ESPORTS_END, CRICKET_END);
    await until(() => scores.length === 6);
    const arrival = (index: number) => new Date(NOW + index).toISOString();
    const soccer = {
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
    assert.deepEqual(scores, [
      { eventId: 'POLY-1', ...soccer },
      { eventId: 'POLY-1-GOALS', ...soccer },
      {
        eventId: 'POLY-2',
        gameId: '19500',
        live: true,
        ended: false,
        updatedAt: arrival(1),
        leagueAbbreviation: 'nfl',
        homeTeam: 'KC',
        awayTeam: 'DEN',
        score: '7-10',
        period: 'Q4',
        elapsed: '5:18',
        status: 'InProgress',
      },
      {
        eventId: 'POLY-3',
        gameId: '5968000',
        live: true,
        ended: false,
        updatedAt: arrival(2),
        leagueAbbreviation: 'wta challenger',
        homeTeam: 'A. Ace',
        awayTeam: 'L. Let',
        score: '4-6, 1-2',
        period: 'S2',
        elapsed: null,
        status: 'inprogress',
      },
      {
        eventId: 'POLY-4',
        gameId: '1317000',
        live: false,
        ended: true,
        updatedAt: arrival(3),
        leagueAbbreviation: 'cs2',
        homeTeam: 'One',
        awayTeam: 'Two',
        score: '000-000|2-0|Bo3',
        period: '2/3',
        elapsed: null,
        status: 'finished',
        finishedTimestamp: '2026-11-21T15:30:00.000Z',
      },
      {
        eventId: 'POLY-5',
        gameId: 'id27000',
        live: false,
        ended: true,
        updatedAt: arrival(4),
        leagueAbbreviation: 'cricket',
        homeTeam: null,
        awayTeam: null,
        score: '116-38',
        period: 'FT',
        elapsed: null,
        status: null,
        finishedTimestamp: '2026-11-21T15:40:00.123Z',
      },
    ]);
  });

  it('is passed over where it is no game, or a game behind no event', async () => {
    const { scores } = openFeed();
    const bad = [
      ...['', 'hello', 'null', '[]', '7', '"text"', '{', '{}', '{"gameId":90086923}'],
      ...[
        { ...SOCCER, gameId: 90086924 },
        { ...SOCCER, gameId: 90086924, metadataGameId: '5968000', ended: true },
        { ...SOCCER, gameId: { a: 1 } },
        { ...SOCCER, live: 'true' },
      ],
      ...[
        { ...SOCCER, ended: undefined },
        { ...FOOTBALL, slug: null },
        { ...FOOTBALL, slug: '__proto__' },
      ],
    ];
    tell(await connected(), ...bad, TENNIS);
    await until(() => scores.length > 0);
    assert.deepEqual(
      scores.map(({ eventId }) => eventId),
      ['POLY-3'],
    );
  });

  it('is cut down to what can be stored: no field of another kind, too long, with NUL or half a character', async () => {
    const { scores } = openFeed();
    const odd = { score: '1\u00000', period: '\ud800', elapsed: 'x'.repeat(201), status: ['Final'], homeTeam: '' };
    tell(await connected(), { ...SOCCER, ...odd, awayTeam: 'Côte d’Ivoire', leagueAbbreviation: 7, eventState: null });
    await until(() => scores.length > 0);
    const { score, period, elapsed, status, homeTeam, awayTeam, leagueAbbreviation } = scores[0]!;
    assert.deepEqual([score, period, elapsed, status, homeTeam], [null, null, null, null, null]);
    assert.deepEqual([awayTeam, leagueAbbreviation], ['Côte d’Ivoire', '7']);
  });

  it('is never ahead of our clock, and never of a time that is none', async () => {
    const { scores } = openFeed();
    const withTime = (updatedAt: unknown) => ({ ...SOCCER, eventState: { updatedAt } });
    const times = ['2030-01-01T00:00:00Z', 'yesterday', '-000001-01-01T00:00:00Z', '+275000-01-01T00:00:00Z', 7, null];
    tell(await connected(), ...times.map(withTime));
    tell(clients[0]!, { ...ESPORTS_END, finished_timestamp: '+275000-01-01T00:00:00Z' });
    await until(() => scores.length === 2 * times.length + 1);
    for (const score of scores) assert.ok(Math.abs(Date.parse(score.updatedAt) - NOW) < 100, score.updatedAt);
    assert.equal(scores.at(-1)!.finishedTimestamp, scores.at(-1)!.updatedAt);
  });

  it('has an order also within one millisecond', async () => {
    const { scores } = openFeed();
    const points = Array.from({ length: 20 }, (_, index) => `${index}-0`);
    tell(await connected(), ...points.map((score) => ({ ...TENNIS, score })));
    await until(() => scores.length === points.length);
    const sorted = [...scores].sort((a, b) => Date.parse(a.updatedAt) - Date.parse(b.updatedAt));
    assert.deepEqual(
      sorted.map(({ score }) => score),
      points,
    );
    assert.equal(new Set(scores.map(({ updatedAt }) => updatedAt)).size, points.length);
  });

  it('that both goes on and is over, is over', async () => {
    const { scores } = openFeed();
    tell(await connected(), { ...TENNIS, live: true, ended: true });
    await until(() => scores.length > 0);
    assert.deepEqual([scores[0]!.live, scores[0]!.ended], [false, true]);
    assert.equal(scores[0]!.finishedTimestamp, scores[0]!.updatedAt);
  });
});

describe('the connection', () => {
  it('answers the pings of the server, in words and by the protocol', async () => {
    openFeed();
    const client = await connected();
    const heard: string[] = [];
    client.on('message', (data) => heard.push(String(data)));
    client.on('pong', () => heard.push('protocol'));
    tell(client, 'ping', 'PING');
    client.ping();
    await until(() => heard.length === 3);
    assert.deepEqual(heard.sort(), ['pong', 'pong', 'protocol']);
  });

  it('is made again when the server ends it, breaks it off or refuses it, and goes on telling', async () => {
    const { scores, logged } = openFeed();
    (await connected(1)).close(1001);
    (await connected(2)).terminate();
    refusals = 3;
    (await connected(3)).terminate();
    tell(await connected(4), TENNIS);
    await until(() => scores.length === 1);
    assert.equal(connections, 7);
    assert.doesNotMatch(logged(), /secret/);
    assert.match(logged(), /503/);
  });

  it('waits longer after each failure, up to a limit, and again the shortest once something was heard', async () => {
    refusals = 6;
    const { logged } = openFeed();
    const client = await connected();
    tell(client, 'ping');
    await once(client, 'message');
    client.close();
    await connected(2);
    const delays = logged()
      .split('\n')
      .filter((line) => line.includes('delayMs'))
      .map((line) => JSON.parse(line).delayMs as number);
    const longest = [2, 4, 8, 10, 10, 10, 2];
    assert.equal(delays.length, longest.length);
    for (const [index, delay] of delays.entries()) {
      assert.ok(delay >= longest[index]! / 2 && delay <= longest[index]!, `${delays}`);
    }
  });

  it('that is silent for too long is given up', async () => {
    const { logged } = openFeed({ ...FAST, silenceMs: 30 });
    await connected(2);
    assert.match(logged(), /silent for too long/);
  });

  it('is one, however often it is opened, and none after the close', async () => {
    const { feed, scores } = openFeed();
    const client = await connected();
    feed.open(() => assert.fail('it is open already'));
    const gone = once(client, 'close');
    feed.close();
    await gone;
    feed.close();
    const opened: EventScore[] = [];
    feed.open((score) => opened.push(score));
    tell(await connected(2), TENNIS);
    await until(() => opened.length === 1);
    assert.deepEqual([connections, scores.length], [2, 0]);
  });

  it('takes no message that is larger than any score', async () => {
    const { scores } = openFeed();
    tell(await connected(), { ...TENNIS, padding: 'x'.repeat(300_000) });
    tell(await connected(2), TENNIS);
    await until(() => scores.length > 0);
    assert.equal(scores.length, 1);
  });
});
