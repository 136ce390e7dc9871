import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { createSender } from '../../events/sender.js';
import type { Limiter } from '../../http/ports.js';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createSecretBox } from '../../signer/index.js';
import { type NewEvent, tell } from '../../store/event-outbox.js';
import { deleteEvents, numberEvents } from '../../store/events.js';
import { KEYS_CHANNEL } from '../../store/keys.js';
import { insertCrafted } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { listWebhooks } from '../../store/webhooks.js';
import { follow } from './follow.js';
import { Hub } from './hub.js';
import { registerEvents } from './index.js';

const AT = new Date('2026-01-01T00:00:00Z');
const OWNER = generateKeypair().address;
const OTHER = generateKeypair().address;
/** By login token. */
const LOGINS = new Map([
  ['owner', OWNER],
  ['other', OTHER],
]);

let store: Store;
before(async () => {
  store = await openAnyStore();
  const row = { area: 'swap', wallet: OWNER, messageHash: Buffer.alloc(32), cosigners: [], payload: null };
  const request = { ...row, lastValidBlockHeight: 1n, createdAt: AT, expiresAt: AT };
  await store.transaction((tx) => insertCrafted(tx, [{ ...request, id: 'of key-1', apiKey: 'key-1' }]));
});
after(() => store.close());
beforeEach(async () => {
  for (const table of ['events', 'event_outbox', 'event_accounts']) await store.query(`delete from ${table}`);
});

const deps = {
  clock: { ...createClock(), now: () => AT.getTime() },
  keepMs: 1_000,
  box: createSecretBox(Buffer.alloc(32)),
  allowsPrivate: true,
  send: createSender({ allowsPrivate: true, steadyNow }),
};

/** One copy of the service, which listens. */
async function startCopy(
  limits = { streams: 10, streamsPerKey: 5 },
  patienceMs = 30_000,
  more: { limiter?: Limiter; env?: Record<string, string> } = {},
) {
  const hub = new Hub({ store, log: pino({ level: 'silent' }), patienceMs });
  const { app } = await startTestServer((server) => registerEvents(server, { store, ...deps, hub, limits }), {
    wallets: async (token) => LOGINS.get(token),
    ...more,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
  return { url, connections, close: () => app.close() };
}

/** Tells of `count` events of a wallet and, with `ofKey`, of the key `key-1`, and gives them numbers. */
async function happen(count: number, { wallet = OWNER, ofKey = true, data = {}, kind = 'order.filled' } = {}) {
  const event = {
    kind: kind as NewEvent['kind'],
    at: AT,
    wallets: [wallet] as const,
    begunBy: ofKey ? { requestId: 'of key-1' } : undefined,
    data,
  };
  await store.transaction((tx) => tell(tx, Array<NewEvent>(count).fill(event)));
  await store.single((tx) => numberEvents(tx, 1, AT));
}

interface Event {
  number: number;
  kind: string;
  data: Record<string, unknown>;
}

interface Opened {
  status: number;
  /** The next events, or as many as come before the stream ends. */
  read(count: number): Promise<Event[]>;
  /** The number that an EventSource would send when it connects again. */
  lastId(): string;
  error(): Promise<string>;
  close(): void;
}

interface Asked {
  query?: string;
  key?: string;
  origin?: string;
  login?: string;
  last?: string;
  /** Another address, by what a proxy says. */
  from?: string;
}

async function open(
  url: string,
  { query = '', key = 'good-key', origin, login, last, from }: Asked = {},
): Promise<Opened> {
  const stop = new AbortController();
  const headers = {
    'x-api-key': key,
    ...(origin && { origin }),
    ...(login && { authorization: `Bearer ${login}` }),
    ...(last && { 'last-event-id': last }),
    ...(from && { 'x-forwarded-for': from }),
  };
  const answer = await fetch(`${url}/events/v1/stream${query}`, { headers, signal: stop.signal });
  const chunks = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let lastId = '';
  const events: Event[] = [];
  const parse = () => {
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      lastId = field('id') ?? lastId;
      const data = field('data');
      if (data === undefined) continue;
      const event = JSON.parse(data) as Event;
      assert.equal(field('event'), event.kind);
      assert.equal(lastId, `${event.number}`);
      events.push(event);
    }
  };
  return {
    status: answer.status,
    async read(count) {
      while (events.length < count) {
        const { done, value } = await chunks.read();
        if (done) break;
        text += value;
        parse();
      }
      return events.splice(0, count);
    },
    lastId: () => lastId,
    error: async () => String((await chunks.read()).value),
    close: () => stop.abort(),
  };
}

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

/** One call of the API; the sandbox's key, or a login. */
async function call(
  url: string,
  method: string,
  path: string,
  { body, login, key = 'good-key', origin, from }: Asked & { body?: object } = {},
) {
  const answer = await fetch(`${url}/events/v1/webhooks${path}`, {
    method,
    headers: {
      'x-api-key': key,
      ...(origin && { origin }),
      ...(from && { 'x-forwarded-for': from }),
      ...(login && { authorization: `Bearer ${login}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the answers are checked elsewhere
  return { status: answer.status, body: (await answer.json()) as any };
}

test('webhooks are of the key or of the wallet that has logged in, and nobody else sees them', async () => {
  await store.query('delete from webhooks');
  const copy = await startCopy();
  const url = 'https://receiver.example/hook?token=1';
  const made = await call(copy.url, 'POST', '', { body: { url, kinds: 'order.*,score.changed' }, login: 'owner' });
  assert.equal(made.status, 200);
  const { secret, ...shown } = made.body;
  assert.match(secret, /^whsec_/);
  assert.deepEqual((await call(copy.url, 'GET', '', { login: 'owner' })).body, { webhooks: [shown] });
  const path = `/${shown.id}`;
  for (const login of ['other', undefined]) {
    const as = { ...(login && { login }) };
    assert.deepEqual((await call(copy.url, 'GET', '', as)).body, { webhooks: [] });
    const refused = [
      await call(copy.url, 'DELETE', path, as),
      await call(copy.url, 'POST', `${path}/rotate-secret`, as),
      await call(copy.url, 'POST', `${path}/test`, as),
      await call(copy.url, 'POST', `${path}/redeliver`, { ...as, body: {} }),
      await call(copy.url, 'GET', `${path}/attempts`, as),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [404, 404, 404, 404, 404],
    );
  }
  const { body: rotated } = await call(copy.url, 'POST', `${path}/rotate-secret`, { login: 'owner' });
  assert.notEqual(rotated.secret, secret);
  // Its answer may be lost: asked again, what the receiver has is good for its 24 hours all the same.
  const secretsNow = async () => {
    const [webhook] = await listWebhooks(store, createSecretBox(Buffer.alloc(32)), `wallet:${OWNER}`);
    return webhook!.secrets.map((each) => each.secret);
  };
  const { body: again } = await call(copy.url, 'POST', `${path}/rotate-secret`, { login: 'owner' });
  assert.deepEqual(await secretsNow(), [again.secret, rotated.secret, secret]);
  // Two at once: neither may be told a secret that signs nothing.
  const both = await Promise.all([1, 2].map(() => call(copy.url, 'POST', `${path}/rotate-secret`, { login: 'owner' })));
  assert.deepEqual((await secretsNow()).slice(0, 2).sort(), both.map(({ body }) => body.secret).sort());
  for (let times = 0; times < 5; times++) await call(copy.url, 'POST', `${path}/rotate-secret`, { login: 'owner' });
  assert.equal((await secretsNow()).length, 5);
  const following = () => store.query('select from event_followers where until > $1', [new Date('2027-01-01')]);
  assert.equal((await following()).rowCount, 1);
  assert.equal((await call(copy.url, 'DELETE', path, { login: 'owner' })).status, 200);
  assert.equal((await following()).rowCount, 0);
  await copy.close();
});

test('attack: a thief of a key asks for new secrets of one webhook hundreds of times at once: each takes two statements, not one for each other', async (t) => {
  await store.query('delete from webhooks');
  let statements = 0;
  const counted: Store = {
    ...store,
    query: (text, params) => {
      if (text.includes('webhooks')) statements += 1;
      return store.query(text, params);
    },
  };
  const hub = new Hub({ store, log: pino({ level: 'silent' }) });
  const limits = { streams: 10, streamsPerKey: 5 };
  const { app } = await startTestServer((server) => registerEvents(server, { ...deps, store: counted, hub, limits }), {
    wallets: async () => undefined,
  });
  t.after(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const { body: made } = await call(url, 'POST', '', { body: { url: 'http://127.0.0.1:9/' } });
  statements = 0;
  const rotated = await Promise.all(Array.from({ length: 30 }, () => call(url, 'POST', `/${made.id}/rotate-secret`)));
  assert.deepEqual(new Set(rotated.map(({ status }) => status)), new Set([200]));
  assert.equal(statements, 60);
});

test('attack: a free key has the same events sent again over and over: each hundred of them counts as a call', async () => {
  await store.query('delete from webhooks');
  const weights: number[] = [];
  const limiter: Limiter = {
    take(_id, _bucket, _tier, weight = 1) {
      weights.push(weight);
      return { ...plentyLeft, allowed: weight < 5 };
    },
  };
  const copy = await startCopy(undefined, undefined, { limiter });
  const { body: made } = await call(copy.url, 'POST', '', { body: { url: 'https://a.example' } });
  const again = (body: object) => call(copy.url, 'POST', `/${made.id}/redeliver`, { body });
  const giveUp = (count: number) =>
    store.query(
      `insert into webhook_deliveries (webhook_id, number, kind, at, body, tries, due_at)
       select $1, n, 'order.filled', $2, '{}', 1, null from generate_series(1, $3::integer) as n
       on conflict (webhook_id, number) do update set due_at = null`,
      [made.id, AT, count],
    );
  await happen(1);
  weights.length = 0;
  await giveUp(100);
  assert.deepEqual((await again({})).body, { events: 100 });
  assert.deepEqual((await again({})).body, { events: 0 });
  await giveUp(401);
  assert.deepEqual((await again({})).body, { events: 401 });
  await giveUp(501);
  assert.equal((await again({})).status, 429);
  assert.deepEqual((await again({ number: 1 })).body, { events: 1 });
  assert.deepEqual(weights, [1, 1, 1, 4, 1, 5, 1]);
  await copy.close();
});

test('attack: a free key has ever more of its wallets hear of each score: 1,000, and 10,000 of a key without limits', async () => {
  const until = new Date(AT.getTime() + 1_000);
  const follows = async (id: string, tier: string, others: number) => {
    await store.query(
      `insert into event_followers (account, kind, until, api_key)
       select 'wallet:' || $1 || n, 'score.changed', $2, $1 from generate_series(1, $3::integer) as n on conflict do nothing`,
      [id, until, others],
    );
    await follow(store, { account: `wallet:${id}`, apiKey: { id, tier }, caller: { id }, until }, ['score.changed']);
  };
  await follows('few', 'free', 999);
  await assert.rejects(follows('many', 'free', 1_000), /1000 wallets of this key follow score.changed already/);
  await follows('most', 'unlimited', 9_999);
  await assert.rejects(follows('too many', 'unlimited', 10_000), /10000 wallets of this key follow/);
  await store.query('delete from event_followers');
});

test('attack: a free key adds ever more webhooks, or ones that nothing may be sent to', async () => {
  await store.query('delete from webhooks');
  const copy = await startCopy();
  const bad = ['x', 'ftp://a.example', 'http://169.254.169.254/', 'http://[fe80::1]/', 'http://u:p@a.example/'];
  for (const url of bad) {
    const refused = await call(copy.url, 'POST', '', { body: { url } });
    assert.equal(refused.status, 400, url);
    assert.match(refused.body.error, /^url: /);
  }
  assert.equal((await call(copy.url, 'POST', '', { body: { url: 'https://a.example', kinds: 'x' } })).status, 400);
  const added = await Promise.all(
    Array.from({ length: 25 }, (_, n) => call(copy.url, 'POST', '', { body: { url: `https://a.example/${n}` } })),
  );
  assert.equal(added.filter(({ status }) => status === 200).length, 20);
  assert.equal(added.filter(({ status }) => status === 409).length, 5);
  // As if its wallets had added the rest of what the key may have.
  await store.query(
    `insert into webhooks (id, account, url_sealed, secrets_sealed, created_at, last, api_key)
     select n, 'wallet:' || n, '', '', now(), 0, 'key-1' from generate_series(1, 980) as n`,
  );
  const { status, body } = await call(copy.url, 'POST', '', { body: { url: 'https://a.example' }, login: 'owner' });
  assert.deepEqual([status, /1000 of all wallets of this key/.test(body.error)], [409, true]);
  await copy.close();
});

test('attack: another user adds ever more webhooks by the key of a page, with wallets of his own: a fifth of what the key has', async (t) => {
  await store.query('delete from webhooks');
  const copy = await startCopy(undefined, undefined, { env: { SLIPWAY_TRUSTED_PROXIES: '127.0.0.1' } });
  t.after(() => copy.close());
  const page = { key: 'in-pages', origin: 'http://localhost:3000', body: { url: 'https://a.example' } };
  const statuses: number[] = [];
  for (let wallet = 0; wallet < 11; wallet++) {
    LOGINS.set(`his-${wallet}`, generateKeypair().address);
    const added = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(copy.url, 'POST', '', { ...page, login: `his-${wallet}`, from: '192.0.2.1' }),
      ),
    );
    statuses.push(...added.map(({ status }) => status));
  }
  assert.deepEqual(statuses, [...Array(200).fill(200), ...Array(20).fill(409)]);
  const refused = await call(copy.url, 'POST', '', { ...page, login: 'owner', from: '192.0.2.1' });
  assert.match(refused.body.error, /200 of your address, or 1000 of all wallets of this key/);
  assert.equal((await call(copy.url, 'POST', '', { ...page, login: 'owner', from: '192.0.2.2' })).status, 200);
  await store.query('delete from webhooks');
});

test('attack: another user has ever more wallets of his own hear of each score by the key of a page: a fifth of what the key has', async () => {
  const until = new Date(AT.getTime() + 1_000);
  const apiKey = { id: 'page', tier: 'free' };
  const from = (address: string) => (wallet: number) =>
    follow(
      store,
      { account: `wallet:${address} ${wallet}`, apiKey, caller: { id: `page ${address}`, together: 'page' }, until },
      ['score.changed'],
    );
  const [his, another] = [from('192.0.2.1'), from('192.0.2.2')];
  for (let wallet = 0; wallet < 200; wallet++) await his(wallet);
  await assert.rejects(his(200), /200 wallets of your address, or 1000 of this key follow score.changed already/);
  await his(0);
  await another(0);
  await store.query('delete from event_followers');
});
