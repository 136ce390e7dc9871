import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import fc from 'fast-check';
import pino from 'pino';
import type { Config } from '../config/index.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { tickOf } from '../trigger-orders/tick.js';
import { type Hermes, type HermesDeps, startHermes } from './hermes.js';
import { readUpdates } from './hermes-answer.js';
import { openPrices } from './index.js';
import { DEFAULT_PRICES } from './testing.js';

const SOL_FEED = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d';
const JUP_FEED = '0a3f016ab5080077ecba0263309a96f1d3237b679727447d2ce876008639207e';
const NOW = Date.UTC(2026, 10, 21, 12);
const KEY = 'CANARY-hermes-key';
const [sol, jup] = [generateKeypair().address, generateKeypair().address];

interface Entry {
  price: string;
  conf: string;
  expo: number;
  publish_time: number;
}

/** As Hermes writes an update of one feed. */
function entryOf(id: string, changes: Partial<Entry> = {}) {
  const price = { price: '15000000000', conf: '7500000', expo: -8, publish_time: NOW / 1000 - 2, ...changes };
  const metadata = { slot: 1, proof_available_time: price.publish_time, prev_publish_time: price.publish_time - 1 };
  return { id, price, ema_price: price, metadata };
}

function answerOf(...parsed: object[]): string {
  return JSON.stringify({ binary: { encoding: 'hex', data: ['504e4155'] }, parsed });
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

interface Fixture {
  hermes: Hermes;
  /** The requests so far. */
  requests: IncomingMessage[];
  /** What the source has asked to wait, in milliseconds, in order. */
  delays: number[];
  logged: string[];
  clock: { time: number };
  price(mint: Address): number | undefined;
  /** Has the source ask once more, with this answer. */
  poll(reply: string | Reply): Promise<void>;
}

const silence: Reply = () => {};

/** A server that answers as Hermes does, and the source on it, which asks when the test says so. */
async function open(t: TestContext, first: string | Reply, options: Partial<HermesDeps> = {}): Promise<Fixture> {
  const requests: IncomingMessage[] = [];
  let reply = first;
  const server = createServer((request, response) => {
    requests.push(request);
    if (typeof reply !== 'string') return reply(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(reply);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const delays: number[] = [];
  const logged: string[] = [];
  const clock = { time: NOW };
  let goOn: (() => void) | undefined;
  let asleep: (() => void) | undefined;
  const hermes = await startHermes({
    url: `http://127.0.0.1:${port}/path-with-CANARY`,
    key: KEY,
    feeds: { [sol]: SOL_FEED, [jup]: JUP_FEED },
    maxAgeMs: 60_000,
    maxConfidenceBps: 100,
    clock: { now: () => clock.time },
    log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }),
    // Where an answer comes, a busy machine has its time for it.
    get timeoutMs() {
      return reply === silence ? 100 : PATIENCE_MS;
    },
    sleep: (milliseconds, signal) =>
      new Promise<void>((resolve, reject) => {
        delays.push(milliseconds);
        goOn = resolve;
        signal.addEventListener('abort', () => reject(new Error('closed')));
        asleep?.();
      }),
    ...options,
  });
  t.after(async () => {
    await hermes.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    hermes,
    requests,
    delays,
    logged,
    clock,
    price: (mint) => {
      const price = hermes.read(mint);
      return price && !price.stale ? price.usd : undefined;
    },
    async poll(next) {
      reply = next;
      const done = new Promise<void>((resolve) => {
        asleep = resolve;
      });
      goOn?.();
      await done;
    },
  };
}

test('prices come with their confidence and time, in one question with the key', async (t) => {
  const jupPrice = { price: '4200000', conf: '1000', expo: -7 };
  const { hermes, requests } = await open(t, answerOf(entryOf(SOL_FEED), entryOf(JUP_FEED, jupPrice)));
  assert.deepEqual(hermes.read(sol), { usd: 150, confidence: 0.075, publishedAt: NOW - 2_000, stale: false });
  assert.equal(hermes.read(jup)?.usd, 0.42);
  assert.equal(hermes.read(generateKeypair().address), undefined);
  const [request, ...others] = requests;
  assert.deepEqual(others, []);
  const { pathname, searchParams } = new URL(request!.url!, 'http://hermes');
  assert.equal(pathname, '/path-with-CANARY/v2/updates/price/latest');
  assert.deepEqual(searchParams.getAll('ids[]'), [SOL_FEED, JUP_FEED]);
  assert.equal(searchParams.get('parsed'), 'true');
  assert.equal(request!.headers.authorization, `Bearer ${KEY}`);
});

test('no exponent makes a price inexact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.integer({ min: -12, max: 0 }), (price, expo) => {
      const digits = price.toString().padStart(1 - expo, '0');
      const at = digits.length + expo;
      const decimal = Number(`${digits.slice(0, at)}.${digits.slice(at)}`);
      const updates = readUpdates({ parsed: [entryOf(SOL_FEED, { price: price.toString(), expo })] });
      assert.equal(updates.get(SOL_FEED)?.usd, decimal);
    }),
  );
});

const useless: [string, string | Reply][] = [
  ['429', (_request, response) => void response.writeHead(429, { 'retry-after': '30' }).end('slow down')],
  ['500', (_request, response) => void response.writeHead(500).end('<html>')],
  ['401', (_request, response) => void response.writeHead(401).end('{"error":"no key"}')],
  ['no answer at all', silence],
  [
    'an answer that breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write(answerOf(entryOf(SOL_FEED)).slice(0, 100));
      response.destroy();
    },
  ],
  ['half of the JSON', answerOf(entryOf(SOL_FEED)).slice(0, 150)],
  ['JSON of another kind', '"hello"'],
  ['null', 'null'],
  ['no list', '{"parsed":null}'],
];

for (const [name, reply] of useless) {
  test(`${name}: the last price stays until it is old, and the next good answer is taken`, async (t) => {
    const { price, poll, hermes, logged, clock, delays } = await open(
      t,
      answerOf(entryOf(SOL_FEED), entryOf(JUP_FEED)),
    );
    await poll(reply);
    await poll(reply);
    assert.equal(price(sol), 150);
    assert.equal(logged.filter((line) => line.includes('127.0.0.1')).length, 1, 'it is logged once');
    assert.ok(!logged.join('').includes('CANARY'), 'no key and no path is logged');
    const [usual, once_, twice] = delays.slice(-3);
    assert.ok(usual! < once_! && once_! === twice!, `${delays}`);
    clock.time += 61_000;
    assert.equal(price(sol), undefined);
    assert.equal(hermes.read(sol)?.stale, true);
    const good = { price: '16000000000', publish_time: clock.time / 1000 };
    await poll(answerOf(entryOf(SOL_FEED, good), entryOf(JUP_FEED, good)));
    assert.equal(price(sol), 160);
    assert.equal(delays.at(-1), usual);
  });
}

test('attack: a price feed that asks to be left alone for a day, or is away for minutes: it is asked again ten seconds later, or four', async (t) => {
  const refuse = (seconds: string) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(429, { 'retry-after': seconds }).end();
  const { poll, delays } = await open(t, refuse('8'));
  assert.equal(delays.at(-1), 8_000);
  await poll(refuse('86400'));
  assert.equal(delays.at(-1), 10_000);
  for (let n = 0; n < 20; n++) {
    await poll((_, response) => void response.writeHead(503).end());
    assert.equal(delays.at(-1), 4_000);
  }
});

const nonsense: [string, Partial<Record<keyof Entry, unknown>>][] = [
  ['a negative price', { price: '-15000000000' }],
  ['a price of zero', { price: '0' }],
  ['a price that is no number', { price: 'NaN' }],
  ['a price that is no string', { price: 150 }],
  ['a huge exponent', { expo: 300 }],
  ['a tiny exponent', { expo: -400 }],
  ['an exponent that is none', { expo: 0.5 }],
  ['a negative confidence', { conf: '-1' }],
  ['no confidence', { conf: undefined }],
  ['no time', { publish_time: undefined }],
  ['a time in milliseconds', { publish_time: NOW }],
  ['a time in the future', { publish_time: NOW / 1000 + 3_600 }],
];

for (const [name, changes] of nonsense) {
  test(`${name} is ignored, and the other feeds are not`, async (t) => {
    const bad = entryOf(SOL_FEED, changes as Partial<Entry>);
    const { price, poll, logged } = await open(t, answerOf(bad, entryOf(JUP_FEED)));
    assert.equal(price(sol), undefined);
    assert.equal(price(jup), 150);
    assert.equal(logged.length, 1);
    await poll(answerOf(bad, entryOf(JUP_FEED)));
    assert.equal(logged.length, 1, 'it is logged once');
    await poll(answerOf(entryOf(SOL_FEED), entryOf(JUP_FEED)));
    assert.equal(price(sol), 150);
  });
}

test('a price with a confidence interval that is too wide is none until it narrows', async (t) => {
  const at = (seconds: number, conf: string) =>
    answerOf(entryOf(SOL_FEED, { conf, publish_time: NOW / 1000 + seconds }));
  const { price, poll, hermes } = await open(t, at(-3, '150000000'));
  assert.equal(price(sol), 150, '1 % is the bound');
  await poll(at(-2, '150000001'));
  assert.equal(hermes.read(sol), undefined);
  await poll(at(-1, '1000'));
  assert.equal(price(sol), 150);
});

test('a price never goes back in publish time, and is stale by it', async (t) => {
  const at = (price: string, time: number) => answerOf(entryOf(SOL_FEED, { price, publish_time: time }));
  const { price, poll, hermes, clock } = await open(t, at('15000000000', NOW / 1000 - 61));
  assert.equal(price(sol), undefined, 'published too long ago');
  assert.deepEqual(hermes.read(sol)?.stale, true);
  await poll(at('16000000000', NOW / 1000));
  await poll(at('15000000000', NOW / 1000 - 1));
  await poll(at('15500000000', NOW / 1000));
  assert.equal(price(sol), 160);
  clock.time += 60_000;
  assert.equal(price(sol), 160);
  clock.time += 1;
  assert.equal(price(sol), undefined);
});

test('a price is stale while our clock, which was set back since, takes all that come after it for ones of the future', async (t) => {
  const { hermes, clock, poll, price } = await open(t, answerOf(entryOf(SOL_FEED)));
  clock.time -= 3_600_000;
  await poll(answerOf(entryOf(SOL_FEED, { price: '9000000000', publish_time: NOW / 1000 })));
  assert.equal(hermes.read(sol)?.usd, 150);
  assert.equal(price(sol), undefined);
});

test('a feed that is missing in the answer has no price; the mints of one feed share it', async (t) => {
  const other = generateKeypair().address;
  const feeds = { [sol]: SOL_FEED.toUpperCase(), [other]: SOL_FEED, [jup]: JUP_FEED };
  const { price, logged, requests } = await open(t, answerOf(entryOf(SOL_FEED)), { feeds });
  assert.deepEqual([price(sol), price(other), price(jup)], [150, 150, undefined]);
  assert.ok(logged.some((line) => line.includes(JUP_FEED)));
  assert.equal(new URL(requests[0]!.url!, 'http://hermes').searchParams.getAll('ids[]').length, 2);
});

test('attack: a price feed tells once of a time that is further ahead than orders fire by: what it tells next counts, and orders fire', async (t) => {
  const at = (seconds: number, price: string) =>
    answerOf(entryOf(SOL_FEED, { price, publish_time: NOW / 1000 + seconds }));
  const { hermes, poll, clock } = await open(t, at(-2, '15000000000'));
  const prices = {
    forOrders: () => ({ ...hermes.read(sol)!, source: 'hermes' }),
    poolWitness: () => undefined,
  };
  const tick = () => tickOf({ prices, clock: { now: () => clock.time } }, sol, undefined);
  for (const ahead of [7, 30, 60]) {
    await poll(at(ahead, '15100000000'));
    clock.time += 1_000;
    const told = (clock.time - NOW) / 1_000 - 1;
    await poll(at(told, `${15_200_000_000 + told}`));
    assert.deepEqual(
      tick(),
      { usd: Number(`${15_200_000_000 + told}e-8`), publishedAt: clock.time - 1_000 },
      `${ahead}`,
    );
  }
  await poll(at(8, '15300000000'));
  assert.deepEqual(tick(), { usd: 153, publishedAt: NOW + 8_000 }, 'five seconds ahead');
  // Where our own clock is behind, all are ahead: they are shown all the same, the newest of them.
  clock.time -= 20_000;
  await poll(at(9, '15400000000'));
  await poll(at(8, '15300000000'));
  assert.deepEqual([hermes.read(sol)?.usd, tick()], [154, 'from-the-future']);
});

test('where the clock of this machine is behind, by less than a price lives, prices are of now by the clock of their source, orders fire, and the operator is told', async (t) => {
  const answer =
    (behind: number, published = -2): Reply =>
    (_, response) => {
      response.setHeader('date', new Date(clock.time + behind * 1_000).toUTCString());
      const publish_time = clock.time / 1_000 + behind + published;
      // A feed that is stale says nothing of the clock.
      response.end(
        answerOf(entryOf(SOL_FEED, { publish_time }), entryOf(JUP_FEED, { publish_time: NOW / 1_000 - 3_600 })),
      );
    };
  const { hermes, poll, clock, logged } = await open(t, answerOf());
  const prices = { forOrders: () => ({ ...hermes.read(sol)!, source: 'hermes' }), poolWitness: () => undefined };
  const tick = () => tickOf({ prices, clock: { now: () => clock.time } }, sol, undefined);
  const told = () => logged.filter((line) => line.includes('set it by NTP')).length;
  for (const [behind, publishedAt] of [
    [4, 2],
    [7, 2],
    [30, 2],
    [55, 2],
  ] as const) {
    clock.time += 10_000;
    await poll(answer(behind));
    assert.deepEqual(tick(), { usd: 150, publishedAt: clock.time + publishedAt * 1_000 }, `${behind}`);
    assert.equal(told(), behind < 10 ? 0 : 1);
  }
  clock.time += 10_000;
  await poll(answer(30, -31));
  assert.deepEqual(tick(), { usd: 150, publishedAt: clock.time - 1_000 }, 'a clock of its source that is wrong');
  clock.time += 40_000;
  await poll(answer(30, 8));
  assert.equal(tick(), 'from-the-future', 'by the clock of its source as well');
  clock.time += 10_000;
  await poll(answer(70));
  assert.match(logged.join(''), /a price from the future/);
});

test('attack: a price feed that sends the service to another address: it does not go there', async (t) => {
  const { poll, requests, logged } = await open(t, answerOf());
  await poll((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  assert.deepEqual(
    requests.map(({ url }) => url?.includes('/elsewhere')),
    [false, false],
  );
  assert.match(logged.join(''), /it answered 307/);
});

test('attack: a price feed that sends ever other prices that nobody has asked for: they are not kept, nor told of', async (t) => {
  const { hermes, poll, price } = await open(t, answerOf(entryOf(SOL_FEED)));
  let told = 0;
  hermes.onChange?.(() => {
    told += 1;
  });
  await poll(answerOf(...Array.from({ length: 100 }, (_, n) => entryOf(n.toString(16).padStart(64, '0')))));
  assert.deepEqual([told, price(sol)], [0, 150]);
  await poll(answerOf(entryOf('0'.repeat(64)), entryOf(JUP_FEED)));
  assert.deepEqual([told, price(jup)], [1, 150]);
});

test('attack: a price feed that answers without end: it is cut off, and its answer is no price', async (t) => {
  const { price, poll, logged } = await open(t, answerOf(entryOf(SOL_FEED)));
  const before = price(sol);
  const MiB = 1 << 20;
  let sent = 0;
  await poll((_, response) => {
    const later = entryOf(SOL_FEED, { price: '1', publish_time: NOW / 1_000 });
    response.write(answerOf(later).slice(0, -1).replace(/\]$/, ''));
    const more = () => {
      for (let goesOn = true; goesOn && !response.destroyed && sent < 64 * MiB; sent += MiB)
        goesOn = response.write(' '.repeat(MiB));
      if (sent >= 64 * MiB) response.end(']}');
    };
    response.on('drain', more);
    more();
  });
  assert.ok(sent < 64 * MiB, `${sent} bytes were taken`);
  assert.equal(price(sol), before);
  assert.match(logged.join(), /no usable answer/);
});

test('without feeds nothing is asked', async (t) => {
  const { requests, hermes } = await open(t, answerOf(), { feeds: {} });
  assert.equal(hermes.read(sol), undefined);
  assert.deepEqual(requests, []);
});

test('a configured service is asked before the sources that come after it', async (t) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(answerOf(entryOf(SOL_FEED)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings: Config['prices'] = {
    sources: ['hermes', 'pools'],
    hermesUrl: `http://127.0.0.1:${port}`,
    feeds: { [sol]: SOL_FEED },
    maxAgeMs: 60_000,
    maxConfidenceBps: 100,
    pools: DEFAULT_PRICES.pools,
  };
  const log = pino({ level: 'silent' });
  const prices = await openPrices({ settings, stored: undefined, poolPrice: () => 7, clock: { now: () => NOW }, log });
  t.after(async () => {
    await prices.close();
    server.close();
  });
  assert.deepEqual([prices.quote(sol)?.source, prices.usd(sol)], ['hermes', 150]);
  assert.deepEqual([prices.quote(jup)?.source, prices.usd(jup)], ['pools', 7]);
});
