import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startTestServer } from '../../http/testing.js';
import { deleteEvents } from '../../store/events.js';
import { KEYS_CHANNEL } from '../../store/keys.js';
import type { Store } from '../../store/sql.js';
import { Hub } from './hub.js';
import { registerEvents } from './index.js';
import {
  type Asked,
  AT,
  deps,
  type Event,
  LOGINS,
  type Opened,
  OTHER,
  OWNER,
  open,
  openEventsWorld,
} from './testing.js';

const { store, startCopy, happen, clear } = await openEventsWorld();
after(() => store.close());
beforeEach(clear);

const numbers = (events: readonly Event[]) => events.map(({ number }) => number);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('a stream brings what happens from now on, each event once and in order, to all that are open', async () => {
  const copy = await startCopy();
  await happen(3);
  const [one, two] = await Promise.all([open(copy.url), open(copy.url)]);
  await happen(2, { data: { order: 'o' } });
  await happen(1);
  for (const stream of [one, two]) {
    const events = await stream.read(3);
    assert.deepEqual(numbers(events), [4, 5, 6]);
    assert.deepEqual(events[0], {
      number: 4,
      kind: 'order.filled',
      at: AT.toISOString(),
      wallet: OWNER,
      data: { order: 'o' },
    });
    stream.close();
  }
  await copy.close();
});

test('a client goes on at another copy, and after a restart, without loss or doubling', async () => {
  const [first, second] = await Promise.all([startCopy(), startCopy()]);
  const begun = await open(first.url);
  await happen(2);
  assert.deepEqual(numbers(await begun.read(2)), [1, 2]);
  // More than a page is missed.
  await happen(250);
  await first.close();
  const resumed = await open(second.url, { last: '2' });
  await happen(1);
  assert.deepEqual(numbers(await resumed.read(251)), upTo(253, 3));
  await second.close();
  assert.deepEqual(await resumed.read(1), [], 'a copy that stops ends its streams');
  const third = await startCopy();
  const again = await open(third.url, { query: `?after=1`, last: resumed.lastId() });
  await happen(1);
  assert.deepEqual(numbers(await again.read(1)), [254]);
  again.close();
  await third.close();
});

test('who asks for the oldest gets all that is kept; who has missed deleted ones is told so', async () => {
  const copy = await startCopy();
  for (let n = 0; n < 5; n++) await happen(1);
  await store.single((tx) => deleteEvents(tx, { before: new Date(AT.getTime() + 1), now: AT }, 2 * 3));
  const all = await open(copy.url, { query: '?after=0' });
  assert.deepEqual(numbers(await all.read(2)), [4, 5]);
  all.close();
  const late = await open(copy.url, { last: '2' });
  assert.equal(late.status, 410);
  assert.match(await late.error(), /after 2 are no longer kept; the oldest is 4/);
  for (const toCome of [{ last: '6' }, { query: '?after=6' }]) {
    const other = await open(copy.url, toCome);
    assert.equal(other.status, 410);
    assert.match(await other.error(), /The last event is 5, so 6 is a number of another list/);
  }
  for (const bad of [{ query: '?after=x' }, { query: '?kinds=order.eaten' }]) {
    assert.equal((await open(copy.url, bad)).status, 400, JSON.stringify(bad));
  }
  await copy.close();
});

test('a stream of a key has its own requests only, and that of a login its wallet only', async () => {
  const copy = await startCopy();
  const streams = await Promise.all([
    open(copy.url),
    open(copy.url, { login: 'owner' }),
    open(copy.url, { login: 'other' }),
  ]);
  await happen(1, { data: { n: 1 } });
  await happen(1, { ofKey: false, data: { n: 2 } });
  await happen(1, { wallet: OTHER, ofKey: false, data: { n: 3 } });
  await happen(1, { data: { n: 4 } });
  await happen(1, { wallet: OTHER, data: { n: 5 } });
  const [ofKey, ofOwner, ofOther] = streams as [Opened, Opened, Opened];
  assert.deepEqual(
    (await ofKey.read(3)).map(({ data }) => data.n),
    [1, 4, 5],
  );
  assert.deepEqual(
    (await ofOwner.read(3)).map(({ data }) => data.n),
    [1, 2, 4],
  );
  assert.deepEqual(
    (await ofOther.read(2)).map(({ data }) => data.n),
    [3, 5],
  );
  for (const stream of streams) stream.close();
  assert.equal((await open(copy.url, { key: 'submit-only' })).status, 403);
  assert.equal((await open(copy.url, { key: 'unknown' })).status, 401);
  assert.equal((await open(copy.url, { login: 'expired' })).status, 401);
  await copy.close();
});

test('a stream may be of some kinds and of one wallet', async () => {
  const copy = await startCopy();
  const ofOrders = await open(copy.url, { query: '?kinds=order.*,invite.claimed' });
  const ofOther = await open(copy.url, { query: `?wallet=${OTHER}` });
  await happen(1, { kind: 'transaction.landed' });
  await happen(1, { kind: 'order.opened' });
  await happen(1, { kind: 'invite.created' });
  await happen(1, { kind: 'invite.claimed', wallet: OTHER });
  assert.deepEqual(numbers(await ofOrders.read(2)), [2, 4]);
  assert.deepEqual(numbers(await ofOther.read(1)), [4]);
  ofOrders.close();
  ofOther.close();
  await copy.close();
});

test('attack: a free key opens ever more streams', async () => {
  const copy = await startCopy({ streams: 3, streamsPerKey: 2 });
  const streams = [await open(copy.url), await open(copy.url, { login: 'owner' })];
  const refused = await open(copy.url, { login: 'other' });
  assert.equal(refused.status, 429);
  assert.match(await refused.error(), /streams of this key/);
  streams[0]!.close();
  await copy.close();
  const small = await startCopy({ streams: 1, streamsPerKey: 2 });
  streams.push(await open(small.url));
  assert.equal((await open(small.url)).status, 503);
  await small.close();
});

/** Five streams that want none of 500 events, and how many pages of these are read at the same time. */
async function pagesAtOnce(asked: (stream: number) => Asked): Promise<number> {
  let [now, most, pages] = [0, 0, 0];
  const counting: Store = {
    ...store,
    async query<R>(text: string, params?: readonly unknown[]) {
      if (!text.includes('as asked(heard_by, after)')) return store.query<R>(text, params);
      pages += 1;
      now += 1;
      most = Math.max(most, now);
      return store.query<R>(text, params).finally(() => {
        now -= 1;
      });
    },
  };
  await happen(500);
  const hub = new Hub({ store: counting, log: pino({ level: 'silent' }) });
  const limits = { streams: 10, streamsPerKey: 5 };
  const { app } = await startTestServer((server) => registerEvents(server, { store, ...deps, hub, limits }), {
    wallets: async (token) => LOGINS.get(token),
    env: { SLIPWAY_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const streams = await Promise.all(
    Array.from({ length: 5 }, (_, stream) => open(url, { query: '?after=0&kinds=invite.*', ...asked(stream) })),
  );
  // Five pages of each, and one that is empty.
  while (pages < 30) await sleep(10);
  for (const stream of streams) stream.close();
  await app.close();
  return most;
}

// Those who have caught up are read for together.
test('attack: a free key reads all its events again by ever more streams that want none of them: one page at a time', async () => {
  assert.ok((await pagesAtOnce(() => ({}))) <= 2);
});

test('attack: a free key that stands in a page has ever more addresses read the events of a wallet again: one page at a time', async () => {
  const page = { key: 'in-pages', origin: 'http://localhost:3000', login: 'owner' };
  assert.ok((await pagesAtOnce((stream) => ({ ...page, from: `192.0.2.${stream + 1}` }))) <= 2);
});

test('attack: another user has the events of a wallet read again by many streams of the key of a page: those of others begin after one page', async () => {
  const read: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const noting: Store = {
    ...store,
    async query<R>(text: string, params?: readonly unknown[]) {
      if (text.includes('heard_by, after')) {
        read.push(...(params![1] as string[]));
        await begun;
      }
      return store.query<R>(text, params);
    },
  };
  await happen(500);
  const hub = new Hub({ store: noting, log: pino({ level: 'silent' }) });
  const limits = { streams: 100, streamsPerKey: 50 };
  const { app } = await startTestServer((server) => registerEvents(server, { store, ...deps, hub, limits }), {
    wallets: async (token) => LOGINS.get(token),
    env: { SLIPWAY_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const page = { key: 'in-pages', origin: 'http://localhost:3000', login: 'owner' };
  const many = await Promise.all(
    Array.from({ length: 10 }, () => open(url, { ...page, query: '?after=0&kinds=invite.*', from: '192.0.2.1' })),
  );
  const other = await open(url, { ...page, last: '7', from: '192.0.2.2' });
  begin();
  assert.equal((await other.read(1))[0]!.number, 8);
  assert.equal(read.indexOf('7'), 1);
  for (const stream of [...many, other]) stream.close();
  await app.close();
});

test('attack: another user opens ever more streams by the key of a page: a fifth of what the key has', async () => {
  const copy = await startCopy({ streams: 20, streamsPerKey: 10 });
  const asked = { key: 'in-pages', origin: 'http://localhost:3000', login: 'owner' };
  for (const expected of [200, 200, 429]) assert.equal((await open(copy.url, asked)).status, expected);
  assert.equal((await open(copy.url)).status, 200);
  await copy.close();
});

test('attack: a thief of a key hears of nothing more by an open stream once that key is revoked or replaced', async () => {
  const copy = await startCopy();
  const page = { key: 'in-pages', origin: 'http://localhost:3000', login: 'owner' };
  const [stolen, ofPage] = await Promise.all([open(copy.url), open(copy.url, page)]);
  const rest = (stream: Opened) => stream.read(1).catch(() => []);
  await store.transaction((tx) => tx.notify(KEYS_CHANNEL, 'key-1'));
  await happen(1);
  assert.deepEqual(await rest(stolen), []);
  assert.deepEqual(numbers(await ofPage.read(1)), [1]);
  await store.transaction((tx) => tx.notify(KEYS_CHANNEL, 'key-3'));
  await happen(1);
  assert.deepEqual(await rest(ofPage), []);
  await copy.close();
});

test('attack: a free key does not read its stream, and is cut off; it can go on where it was', async () => {
  const copy = await startCopy(undefined, 5_000);
  const { hostname, port } = new URL(copy.url);
  const slow = connect(Number(port), hostname);
  slow.write('GET /events/v1/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: good-key\r\n\r\n');
  await new Promise((resolve) => slow.once('data', resolve));
  slow.pause();
  const other = await open(copy.url);
  slow.on('error', () => {});
  const data = { text: 'x'.repeat(50_000) };
  // More than the socket's own buffers hold.
  const ROUNDS = 40;
  for (let round = 0; round < ROUNDS; round++) {
    await happen(10, { data });
    assert.equal((await other.read(10)).length, 10);
  }
  // Of the slow one and the other.
  while ((await copy.connections()) > 1) await sleep(50);
  slow.destroy();
  const resumed = await open(copy.url, { last: '7' });
  assert.deepEqual(numbers(await resumed.read(ROUNDS * 10 - 7)), upTo(ROUNDS * 10, 8));
  resumed.close();
  other.close();
  await copy.close();
});
