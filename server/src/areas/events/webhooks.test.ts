import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import type { Limiter } from '../../http/ports.js';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import { createSecretBox } from '../../signer/index.js';
import type { Store } from '../../store/sql.js';
import { listWebhooks } from '../../store/webhooks.js';
import { follow } from './follow.js';
import { Hub } from './hub.js';
import { registerEvents } from './index.js';
import { AT, call, deps, LOGINS, OWNER, openEventsWorld } from './testing.js';

const { store, startCopy, happen, clear } = await openEventsWorld();
after(() => store.close());
beforeEach(clear);

test('webhooks are of the key or of the wallet that has logged in, and nobody else sees them', async () => {
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
});

test('attack: a free key adds ever more webhooks, or ones that nothing may be sent to', async () => {
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
});
