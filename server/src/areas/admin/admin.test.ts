import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { loadConfig } from '../../config/index.js';
import { createMetrics, createServer } from '../../http/index.js';
import { keyTiers } from '../../lib/tiers.js';
import { createSecretBox } from '../../signer/index.js';
import { findKeysByHash } from '../../store/keys.js';
import { listMakers } from '../../store/makers.js';
import { getScore } from '../../store/scores.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { confirmReserved, type NewVerification, reserve } from '../../store/verifications.js';
import { registerAdmin } from './index.js';
import type { Key, NewKey, Verification } from './schema.js';

const TOKEN = 'a-token-for-the-operator-of-this-test';
const box = createSecretBox(Buffer.alloc(32, 1));
let now = 1_800_000_000_000;
/** Of the payment whose signature and currency this names. */
const notPaid = new Map<string, string>();
let store: Store;
let app: FastifyInstance;

before(async () => {
  store = await openAnyStore();
  const config = loadConfig({ SLIPWAY_ADMIN_TOKEN: TOKEN }, { cwd: '/' });
  app = await createServer({
    config,
    log: pino({ level: 'silent' }),
    keys: () => undefined,
    limiter: { take: () => assert.fail('an admin route is not limited') },
    metrics: createMetrics(),
    ready: async () => ({ ok: true, checks: {} }),
  });
  registerAdmin(app, {
    store,
    rootToken: async () => TOKEN,
    box: async () => box,
    clock: { now: () => now },
    mayCall: (origin) => origin === 'https://app.example.com',
    tiers: keyTiers(config.tiers),
    simulatedEvents: ['SIM-1'],
    whyNotPaid: async ({ signature, paymentCurrency }) => notPaid.get(`${signature} ${paymentCurrency}`),
  });
});

after(async () => {
  await app.close();
  await store.close();
});

const id = (letter: string) => `01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0${letter}`;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function call<T>(method: Method, path: string, body?: object): Promise<{ status: number; body: T }> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await app.inject({ method, url: `/admin/v1${path}`, headers, ...(body && { payload: body }) });
  return { status: response.statusCode, body: response.json() as T };
}

function usable(text: string): Promise<boolean> {
  return findKeysByHash(store, [hash('sha256', text, 'buffer')], new Date(now)).then((found) => found.size === 1);
}

test('every route refuses a caller without the token', async () => {
  const routes: [Method, string][] = [
    ['POST', '/keys'],
    ['GET', '/keys'],
    ['POST', '/keys/x/rotate'],
    ['DELETE', '/keys/x'],
    ['GET', '/verifications'],
    ['POST', '/verifications/x/approve'],
    ['POST', '/verifications/x/reject'],
    ['PUT', '/scores/x'],
    ['POST', '/makers'],
    ['GET', '/makers'],
    ['DELETE', '/makers/x'],
  ];
  for (const [method, path] of routes) {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': 'sandbox' }]) {
      const response = await app.inject({ method, url: `/admin/v1${path}`, headers });
      assert.equal(response.statusCode, 401, `${method} ${path}`);
      assert.equal(typeof response.json().error, 'string');
    }
  }
});

test('a key is shown once, works, and is stored as a hash only', async () => {
  const { status, body } = await call<NewKey>('POST', '/keys', { name: 'first', tier: 'pro', prefixes: ['/tx/v1'] });
  assert.equal(status, 200);
  assert.match(body.key, /^slip_[1-9A-HJ-NP-Za-km-z]{30,34}$/);
  assert.ok(await usable(body.key));
  const list = await call<{ keys: Key[] }>('GET', '/keys');
  const { key, ...shown } = body;
  assert.deepEqual(
    list.body.keys.find(({ id }) => id === body.id),
    shown,
  );
  const { rows } = await store.query('select * from api_keys');
  assert.ok(!JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes(key));
});

test('a key has the tier free and all paths when nothing else is said', async () => {
  const { body } = await call<NewKey>('POST', '/keys', { name: 'plain' });
  assert.equal(body.tier, 'free');
  assert.deepEqual(body.prefixes, []);
});

test('what a key cannot be is refused by the name of the field', async () => {
  const wrong: [object, RegExp][] = [
    [{}, /name/],
    [{ name: '' }, /name/],
    [{ name: 'nul \u0000' }, /NUL/],
    [{ name: 'half \ud800' }, /surrogate/],
    [{ name: 'x', tier: 'gold' }, /tier must be one of: unlimited, free, .*pro/],
    [{ name: 'x', prefixes: ['tx'] }, /prefixes/],
    [{ name: 'x', prefixes: '/tx' }, /prefixes/],
  ];
  for (const [body, expected] of wrong) {
    const answer = await call<{ error: string }>('POST', '/keys', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error, expected);
  }
});

test('rotation makes a key like the old one, which works until the overlap ends', async () => {
  const old = (await call<NewKey>('POST', '/keys', { name: 'r', tier: 'launch', prefixes: ['/ultra'] })).body;
  const next = (await call<NewKey>('POST', `/keys/${old.id}/rotate`, { overlapSeconds: 60 })).body;
  assert.notEqual(next.key, old.key);
  assert.deepEqual([next.name, next.tier, next.prefixes, next.rotatedFrom], ['r', 'launch', ['/ultra'], old.id]);
  now += 59_000;
  assert.deepEqual([await usable(old.key), await usable(next.key)], [true, true]);
  now += 1_000;
  assert.deepEqual([await usable(old.key), await usable(next.key)], [false, true]);
});

test('the overlap is a day when nothing is said, also without a body', async () => {
  const old = (await call<NewKey>('POST', '/keys', { name: 'day' })).body;
  assert.equal((await call('POST', `/keys/${old.id}/rotate`)).status, 200);
  const { keys } = (await call<{ keys: Key[] }>('GET', '/keys')).body;
  assert.equal(keys.find(({ id }) => id === old.id)?.expiresAt, new Date(now + 86_400_000).toISOString());
});

test('a revoked key is dead, cannot be rotated, and revoking it again changes nothing', async () => {
  const key = (await call<NewKey>('POST', '/keys', { name: 'dead' })).body;
  const first = await call<Key>('DELETE', `/keys/${key.id}`);
  assert.equal(first.body.revokedAt, new Date(now).toISOString());
  assert.equal(await usable(key.key), false);
  now += 5_000;
  assert.deepEqual(await call('DELETE', `/keys/${key.id}`), first);
  assert.equal((await call('POST', `/keys/${key.id}/rotate`)).status, 409);
});

test('an id that does not exist answers 404', async () => {
  for (const [method, path] of [
    ['POST', '/keys/none/rotate'],
    ['DELETE', '/keys/none'],
    ['POST', '/verifications/none/approve'],
    ['POST', '/verifications/none/reject'],
    ['DELETE', '/makers/none'],
  ] as const) {
    assert.equal((await call(method, path)).status, 404, `${method} ${path}`);
  }
  assert.equal((await call('DELETE', '/keys/%00')).status, 400);
});

test('every change of a key is announced on the channel that the key lookup listens to', async () => {
  const heard: string[] = [];
  const stop = await store.listen('keys', (id) => heard.push(id));
  const key = (await call<NewKey>('POST', '/keys', { name: 'loud' })).body;
  await call('POST', `/keys/${key.id}/rotate`, {});
  await call('DELETE', `/keys/${key.id}`);
  while (heard.length < 3) await new Promise(setImmediate);
  assert.deepEqual(heard, [key.id, key.id, key.id]);
  await stop();
});

const mint = (letter: string) => letter.repeat(43);

async function request(id: string, tokenId: string, paid: boolean): Promise<void> {
  const row: NewVerification = {
    id,
    tokenId,
    kind: 'verification',
    requestId: `request-${id}`,
    payer: mint('P'),
    twitterHandle: '@token',
    senderTwitterHandle: null,
    description: 'a token',
    metadata: { website: 'https://example.com' },
    paymentCurrency: 'PLATFORM_TOKEN',
    paymentAmount: 1_000_000_000n,
    createdAt: new Date(now),
  };
  await store.transaction(async (tx) => {
    assert.equal((await reserve(tx, [row])).size, 0);
    const payment = { requestId: row.requestId, signature: `signature-${id}`, paidAt: new Date(now) };
    if (paid) await confirmReserved(tx, [payment]);
  });
}

test('paid requests are listed page by page, and decided once', async () => {
  for (const letter of ['a', 'b', 'c']) await request(id(letter), mint(letter), true);
  await request(id('d'), mint('d'), false);
  const first = await call<{ verifications: Verification[]; nextCursor: string }>(
    'GET',
    '/verifications?state=pending&limit=2',
  );
  assert.deepEqual(
    first.body.verifications.map(({ id }) => id),
    [id('c'), id('b')],
  );
  const second = await call<{ verifications: Verification[]; nextCursor: null }>(
    'GET',
    `/verifications?state=pending&limit=2&cursor=${first.body.nextCursor}`,
  );
  assert.deepEqual(
    second.body.verifications.map(({ id }) => id),
    [id('a')],
  );
  assert.equal(second.body.nextCursor, null);
  assert.equal(second.body.verifications[0]?.paymentAmount, '1000000000');
  assert.deepEqual(second.body.verifications[0]?.metadata, { website: 'https://example.com' });

  notPaid.set(`signature-${id('a')} PLATFORM_TOKEN`, 'a node does not call its payment finalized yet');
  const early = await call<{ error: string }>('POST', `/verifications/${id('a')}/approve`);
  assert.deepEqual([early.status, /finalized/.test(early.body.error)], [409, true]);
  notPaid.clear();
  const approved = await call<Verification>('POST', `/verifications/${id('a')}/approve`, { note: 'fine' });
  assert.deepEqual([approved.body.state, approved.body.note], ['approved', 'fine']);
  assert.equal(approved.body.decidedAt, new Date(now).toISOString());
  assert.equal((await call('POST', `/verifications/${id('a')}/reject`)).status, 409);
  assert.equal((await call<Verification>('POST', `/verifications/${id('b')}/reject`)).body.state, 'rejected');
  assert.equal((await call('POST', `/verifications/${id('d')}/approve`)).status, 409, 'not paid yet');
});

test('a list that cannot be is refused', async () => {
  const limits = ['limit=0', 'limit=101', 'limit=1e1', 'limit=Infinity'];
  for (const query of [...limits, 'state=open', 'cursor=', 'cursor=the-last']) {
    assert.equal((await call('GET', `/verifications?${query}`)).status, 400, query);
  }
});

test('orders are listed by what a wallet, a state and a cursor can be: anything else is refused by name', async () => {
  const wallet = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
  const fine = await call('GET', `/orders?wallet=${wallet}&state=fill_success&cursor=${id('a')}`);
  assert.deepEqual([fine.status, fine.body], [200, { orders: [], nextCursor: null }]);
  for (const [query, expected] of [
    ['wallet=alice', /^wallet: expected a public key/],
    ['state=opened', /^state: expected one of pending_deposit, depositing, open, /],
    ['cursor=1', /^cursor: expected a UUID/],
  ] as const) {
    const { status, body } = await call<{ error: string }>('GET', `/orders?${query}`);
    assert.equal(status, 400, query);
    assert.match(body.error, expected);
  }
});

const game = {
  gameId: '90086923',
  live: true,
  ended: false,
  updatedAt: '2026-06-01T12:00:00.000Z',
  leagueAbbreviation: 'fifwc',
  homeTeam: 'France',
  awayTeam: 'Senegal',
  score: '2-0',
  period: '2H',
  elapsed: '90',
  status: 'InProgress',
};

test('a score moves forward only, and the answer is what is stored', async () => {
  const first = await call('PUT', '/scores/EV-1', game);
  assert.deepEqual(first.body, { eventId: 'EV-1', ...game });
  const late = { ...game, score: '1-0', updatedAt: '2026-06-01T13:59:59+02:00' };
  assert.deepEqual((await call('PUT', '/scores/EV-1', late)).body, first.body);
  const repeated = { ...game, score: '9-9' };
  assert.deepEqual((await call('PUT', '/scores/EV-1', repeated)).body, first.body);
  const end = { ...game, live: false, ended: true, updatedAt: '2026-06-01T12:05:00Z' };
  const ended = await call('PUT', '/scores/EV-1', end);
  const at = '2026-06-01T12:05:00.000Z';
  assert.deepEqual(ended.body, { eventId: 'EV-1', ...end, updatedAt: at, finishedTimestamp: at });
});

test('what nobody says of a game is null, and the games of a sandbox are not to be set', async () => {
  const sparse = { ...game, homeTeam: null, awayTeam: null, elapsed: null, status: null };
  const put = await call('PUT', '/scores/EV-3', sparse);
  assert.deepEqual([put.status, put.body], [200, { eventId: 'EV-3', ...sparse }]);
  const refused = await call<{ error: string }>('PUT', '/scores/SIM-1', game);
  assert.equal(refused.status, 409);
  assert.match(refused.body.error, /^eventId: .*another event/);
  assert.equal(await getScore(store, 'SIM-1'), undefined);
});

test('a score that contradicts itself, or lacks a field, is refused', async () => {
  const wrong = [
    { ...game, ended: true },
    { ...game, finishedTimestamp: '2026-06-01T12:05:00Z' },
    { ...game, updatedAt: 'yesterday' },
    { ...game, updatedAt: '2016-12-31T23:59:60Z' },
    { ...game, score: 20 },
    { ...game, homeTeam: '\u0000' },
    { ...game, status: undefined },
  ];
  for (const body of wrong) {
    assert.equal((await call('PUT', '/scores/EV-2', body)).status, 400, JSON.stringify(body));
  }
});

test('a score of before 2020, or of more than a year ahead, is refused by the name of its field', async () => {
  const year = 365 * 24 * 60 * 60_000;
  const last = new Date(now + year).toISOString();
  const ended = { ...game, live: false, ended: true };
  for (const far of ['2019-12-31T23:59:59.999Z', '0001-01-01T00:00:00Z', new Date(now + year + 1).toISOString()]) {
    for (const [field, body] of [
      ['updatedAt', { ...game, updatedAt: far }],
      ['finishedTimestamp', { ...ended, finishedTimestamp: far }],
    ] as const) {
      const refused = await call<{ error: string }>('PUT', '/scores/EV-4', body);
      assert.equal(refused.status, 400, `${field} ${far}`);
      assert.equal(refused.body.error, `${field} must be a time from 2020 to a year ahead, ${last}`);
    }
  }
  assert.equal(await getScore(store, 'EV-4'), undefined);
  const first = { ...game, updatedAt: '2020-01-01T00:00:00.000Z' };
  assert.deepEqual((await call('PUT', '/scores/EV-4', first)).body, { eventId: 'EV-4', ...first });
  const latest = { ...ended, updatedAt: last, finishedTimestamp: last };
  assert.deepEqual((await call('PUT', '/scores/EV-4', latest)).body, { eventId: 'EV-4', ...latest });
});

test('makers are registered once by URL, listed and removed', async () => {
  const maker = { name: 'one', url: 'https://maker.example.com/rfq' };
  const added = await call<{ id: string; url: string }>('POST', '/makers', maker);
  assert.equal(added.status, 200);
  assert.equal((await call('POST', '/makers', { ...maker, name: 'two' })).status, 409);
  for (const url of ['ftp://maker.example.com', 'maker.example.com', 'https://', 7]) {
    assert.equal((await call('POST', '/makers', { name: 'x', url })).status, 400, String(url));
  }
  assert.deepEqual((await call('GET', '/makers')).body, { makers: [added.body] });
  assert.deepEqual((await call('DELETE', `/makers/${added.body.id}`)).body, { id: added.body.id });
  assert.deepEqual((await call('GET', '/makers')).body, { makers: [] });
});

test('the key in the URL of a maker is stored, and never shown', async () => {
  for (const url of [
    'https://:s3cret@maker.example.com/rfq',
    'https://s3cret@b.example',
    'https://c.example/?key=s3cret',
  ]) {
    const added = await call<{ id: string; url: string }>('POST', '/makers', { name: 'keyed', url });
    const list = await call('GET', '/makers');
    assert.ok(!JSON.stringify([added.body, list.body]).includes('s3cret'), added.body.url);
    assert.ok(added.body.url.includes(new URL(url).host) && added.body.url.includes('***'));
    assert.equal((await listMakers(store, box)).at(-1)?.url, url);
    await call('DELETE', `/makers/${added.body.id}`);
  }
});
