import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { Registry } from 'prom-client';
import { Webhook as Verifier } from 'standardwebhooks';
import { tell } from '../../store/event-outbox.js';
import { deleteEvents, followKinds, numberEvents } from '../../store/events.js';
import { createKey, revokeKey } from '../../store/keys.js';
import { failedDeliveries, listAttempts, putDeliveries, retryFailed } from '../../store/webhook-deliveries.js';
import { eventCleaningChore } from './cleaning.js';
import { createReceivers, openWebhookWorld, until, upTo, WALLET } from './testing.js';
import { LONGEST_MS } from './webhook-attempts.js';

const { store, secret, clock, addWebhook, happen, start, webhook, reset, closeLoops, close } = await openWebhookWorld();
after(close);
beforeEach(reset);
afterEach(closeLoops);

test('each webhook gets what happens from then on, in order, signed, and only the kinds that it wants', async () => {
  await happen(2);
  await addWebhook('all');
  await addWebhook('opened', 'order.opened');
  const { send, messages, numbers } = createReceivers();
  const loop = await start(send);
  await happen(130);
  await happen(1, 'order.opened');
  await until(loop, () => numbers('all').length >= 131 && numbers('opened').length >= 1);
  assert.deepEqual(numbers('all'), upTo(133, 3));
  assert.deepEqual(numbers('opened'), [133]);
  const { body, headers } = messages.find(({ url }) => url === 'https://opened.example/')!;
  assert.equal((new Verifier(secret).verify(body, headers) as { kind: string }).kind, 'order.opened');
  assert.equal(headers['webhook-id'], 'opened_133');
  assert.equal((await listAttempts(store, 'all')).length, 100);
});

test('what fails is tried again, ever later; others go on in the meantime', async () => {
  await addWebhook('flaky');
  const failing = new Set([2]);
  const { send, messages, numbers } = createReceivers({ flaky: (number) => (failing.has(number) ? 500 : 200) });
  const loop = await start(send);
  await happen(5);
  const ahead = async (ms: number) => {
    clock.setOffset(clock.offsetMs + ms);
    await loop.runDue();
  };
  await until(loop, async () => {
    await ahead(1_000);
    return numbers('flaky').length >= 4;
  });
  assert.deepEqual(numbers('flaky'), [1, 3, 4, 5]);
  const tries = () => messages.filter(({ headers }) => headers['webhook-id'] === 'flaky_2').length;
  await until(loop, async () => {
    await ahead(60_000);
    return tries() >= 4;
  });
  failing.clear();
  await ahead(4 * 60 * 60_000);
  await until(loop, () => numbers('flaky').length >= 5);
  assert.deepEqual(numbers('flaky'), [1, 3, 4, 5, 2]);
  await until(loop, async () => (await webhook()).failures === 0);
});

test('what has not arrived after a day is given up, and sent when its owner asks', async () => {
  await addWebhook('dead');
  let isDead = true;
  const { send, messages, numbers } = createReceivers({ dead: () => (isDead ? 503 : 200) });
  const loop = await start(send);
  await happen(200);
  const count = async () => (await failedDeliveries(store, 'dead', 1_000)).length;
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 10 * 60_000);
    return (await count()) === 200;
  });
  assert.ok(clock.offsetMs >= LONGEST_MS);
  assert.ok(messages.length < 400, `a receiver that is away was called ${messages.length} times in a day`);
  isDead = false;
  await happen(1);
  clock.setOffset(clock.offsetMs + 10 * 60_000);
  await until(loop, () => numbers('dead').includes(201));
  await store.transaction((tx) => retryFailed(tx, 'dead', new Date(clock.now())));
  await until(loop, () => numbers('dead').length >= 201);
  await until(loop, async () => (await count()) === 0);
});

test('attack: a node tells times thousands of years ahead: what has not arrived is given up after a day all the same', async () => {
  await addWebhook('dead');
  const { send, messages } = createReceivers({ dead: () => 503 });
  const loop = await start(send);
  await happen(1, 'order.filled', [WALLET], new Date(Date.UTC(9999, 0)));
  const isGivenUp = async () => (await failedDeliveries(store, 'dead', 10)).length === 1;
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 10 * 60_000);
    // A day has some twenty.
    return messages.length > 40 || (await isGivenUp());
  });
  assert.ok(await isGivenUp());
});

test('attack: a free key has a receiver that answers slowly, and delays only itself', async () => {
  await addWebhook('slow');
  await addWebhook('quick');
  let answer = (_status: number) => {};
  const { send, numbers } = createReceivers({
    slow: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const loop = await start(send);
  await happen(50);
  await until(loop, () => numbers('quick').length >= 50);
  assert.deepEqual(numbers('slow'), []);
  answer(500);
});

/** So many webhooks of one key, ten for each of its wallets, and something that happens to each of these. */
async function addMany(apiKey: string, count: number, events: number) {
  const wallets = upTo(count / 10).map((n) => `${apiKey} ${n}`);
  for (const wallet of wallets)
    for (const n of upTo(10))
      await addWebhook(`${wallet} ${n}`.replaceAll(' ', '-'), null, { account: `wallet:${wallet}`, apiKey });
  await happen(events, 'order.filled', wallets);
}

test('attack: a free key logs in ever more wallets, with webhooks that never answer: half of what is sent at a time', async () => {
  await addMany('attacker', 120, 1);
  const asked = new Set<string>();
  const { send, numbers } = createReceivers();
  const loop = await start((message) => {
    const { hostname } = new URL(message.url);
    if (!hostname.startsWith('attacker')) return send(message);
    asked.add(hostname);
    return new Promise(() => {});
  });
  await until(loop, () => asked.size === 50);
  await addWebhook('other', null, { apiKey: 'other' });
  await happen(1);
  await until(loop, () => numbers('other').length > 0);
  assert.equal(asked.size, 50);
});

test('attack: a free key and another one have webhooks that answer slowly, each with much to send: others wait for two answers', async () => {
  for (const key of ['attacker', 'accomplice']) await addMany(key, 50, 20);
  let seconds = 0;
  let answers: (() => void)[] = [];
  const { send, numbers } = createReceivers();
  const loop = await start(
    async (message) => {
      if (!new URL(message.url).hostname.startsWith('other'))
        await new Promise<void>((resolve) => answers.push(resolve));
      return send(message);
    },
    new Registry(),
    () => seconds * 1_000,
  );
  await until(loop, () => answers.length === 100);
  await addWebhook('other', null, { apiKey: 'other' });
  await happen(1);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(numbers('other'), []);
    await until(loop, () => answers.length === 100);
    seconds += 9;
    const [given, next] = [answers, []];
    answers = next;
    for (const answer of given) answer();
  }
  await until(loop, () => numbers('other').length > 0);
  assert.deepEqual(numbers('other'), [1]);
});

test('attack: a free key and 29 others have webhooks that answer slowly, and replace each that has had its turn: an older one has the next', async () => {
  const MOST = 100;
  await addWebhook('older', null, { apiKey: 'older' });
  let waiting: { id: string; answer: () => void }[] = [];
  const { send, numbers } = createReceivers();
  const loop = await start(async (message) => {
    const id = new URL(message.url).hostname.split('.')[0]!;
    if (id !== 'older') await new Promise<void>((resolve) => waiting.push({ id, answer: resolve }));
    return send(message);
  });
  await happen(1);
  await until(loop, () => numbers('older').length === 1);
  const keyOf = new Map<string, string>();
  const walletOf = (id: string) => `of ${keyOf.get(id)}`;
  const add = async (id: string, key: string) => {
    keyOf.set(id, key);
    await addWebhook(id, null, { account: `wallet:${walletOf(id)}`, apiKey: key });
  };
  for (const key of upTo(30)) for (const n of upTo(20)) await add(`first-${key}-${n}`, `attacker ${key}`);
  await happen(1, 'order.filled', [...new Set([...keyOf.keys()].map(walletOf))]);
  await until(loop, () => waiting.length === MOST);
  await happen(1);
  const given = waiting;
  waiting = [];
  for (const [n, { id }] of given.entries()) {
    await store.query('delete from webhooks where id = $1', [id]);
    await add(`next-${n}`, keyOf.get(id)!);
  }
  await happen(1, 'order.filled', [...new Set(given.map(({ id }) => walletOf(id)))]);
  for (const { answer } of given) answer();
  await until(loop, () => waiting.length === MOST || numbers('older').length === 2);
  assert.equal(numbers('older').length, 2);
});

test('two copies share the webhooks: each event arrives once where nothing fails', async () => {
  const names = upTo(10).map((n) => `hook${n}`);
  for (const name of names) await addWebhook(name);
  const { send, messages, numbers } = createReceivers();
  const copies = await Promise.all([start(send), start(send)]);
  for (let round = 0; round < 10; round++) await happen(10);
  const isDone = () => names.every((name) => numbers(name).length >= 100);
  await Promise.all(copies.map((copy) => until(copy, isDone)));
  for (const name of names) assert.deepEqual(numbers(name), upTo(100), name);
  assert.equal(messages.length, 1_000);
});

test('a copy that dies in the middle of a turn: another one goes on, with what was under way', async () => {
  await addWebhook('hook');
  let asked = 0;
  const dead = createReceivers({
    hook(number) {
      asked = number;
      return number <= 3 ? 200 : new Promise(() => {});
    },
  });
  const dying = await start(dead.send);
  await happen(6);
  // It has noted then that the third was received.
  await until(dying, () => asked === 4);
  const { send, numbers } = createReceivers();
  const other = await start(send);
  await other.runDue();
  assert.deepEqual(numbers('hook'), [], 'it is still the turn of the first');
  await store.query(`update webhooks set lease_until = 'epoch'`);
  await until(other, () => numbers('hook').length >= 3);
  assert.deepEqual(numbers('hook'), [4, 5, 6]);
});

test('events that were deleted before they could be sent are noted', async () => {
  await addWebhook('late');
  for (let n = 0; n < 3; n++) await happen(1);
  await store.single((tx) => deleteEvents(tx, { before: new Date(clock.now() + 1), now: new Date(clock.now()) }, 2));
  const { send, numbers } = createReceivers();
  const loop = await start(send);
  await until(loop, () => numbers('late').length >= 1);
  assert.deepEqual(numbers('late'), [3]);
  assert.match((await listAttempts(store, 'late')).at(-1)!.error ?? '', /events 1 to 2 were deleted/);
});

test('attack: a database writer points a webhook at himself, or reads its secret', async () => {
  await addWebhook('mine');
  await addWebhook('theirs');
  const { rows } = await store.query<{ url: Buffer; secrets: Buffer }>(
    'select url_sealed as url, secrets_sealed as secrets from webhooks',
  );
  for (const { url, secrets } of rows) assert.doesNotMatch(`${url.toString()}${secrets.toString()}`, /example|whsec/);
  await store.query(
    `update webhooks set url_sealed = (select url_sealed from webhooks where id = 'theirs') where id = 'mine'`,
  );
  const { send, numbers } = createReceivers();
  const loop = await start(send);
  await happen(1);
  await until(loop, () => numbers('theirs').length >= 1);
  assert.deepEqual(numbers('theirs'), [1]);
});

test('metrics say what arrives, what waits, and what was given up', async () => {
  const registry = new Registry();
  const read = async () => {
    const lines = (await registry.metrics()).split('\n').filter((line) => /^slipway_webhook/.test(line));
    return Object.fromEntries(
      lines
        .map((line) => line.split(' '))
        .map(([name, value]) => [name!.replace('slipway_webhook_', ''), Number(value)]),
    );
  };
  let status = 200;
  const loop = await start(createReceivers({ good: () => status }).send, registry);
  await addWebhook('good');
  await happen(3);
  await until(loop, async () => (await read())['deliveries_total{outcome="received"}'] === 3);
  await until(loop, async () => (await read()).oldest_waiting_seconds === 0);
  assert.equal((await read()).dead_letters, 0);

  status = 500;
  await happen(1);
  await until(loop, async () => (await read())['deliveries_total{outcome="failed"}'] === 1);
  clock.setOffset(LONGEST_MS + 3_600_000);
  await until(loop, async () => (await read()).dead_letters === 1);
  await loop.close();
  status = 200;
  await addWebhook('late');
  await happen(1);
  clock.setOffset(clock.offsetMs + 90_000);
  const seconds = (await read()).oldest_waiting_seconds!;
  assert.ok(seconds >= 90 && seconds < 600, `${seconds}`);
});

test('attack: a thief of a key adds webhooks: they get nothing more once it is revoked, or replaced, and the wallets of its users keep theirs', async () => {
  const now = new Date(clock.now());
  const keys = { good: undefined, revoked: undefined, replaced: now } as const;
  for (const [id, expiresAt] of Object.entries(keys)) {
    const facts = { name: id, prefix: 'slip_', tier: 'free', prefixes: [], origins: [], createdAt: now };
    await store.transaction((tx) => createKey(tx, { ...facts, id, hash: Buffer.from(id), expiresAt }));
    await addWebhook(id, null, { account: `key:${id}`, apiKey: id });
    const following = { account: `key:${id}`, apiKey: id, caller: id, until: new Date('9999-01-01') };
    await followKinds(store, following, ['score.changed'], { ofCaller: 1_000, ofKey: 1_000 });
  }
  await addWebhook('wallet', null, { apiKey: 'revoked' });
  await store.transaction((tx) => revokeKey(tx, 'revoked', now));

  const { send, messages, numbers } = createReceivers();
  const loop = await start(send);
  const events = Object.keys(keys).map((apiKey) => {
    const begunBy = { requestId: `of ${apiKey}`, apiKey };
    return { kind: 'order.filled' as const, at: now, wallets: [WALLET], begunBy, data: {} };
  });
  await store.transaction((tx) => tell(tx, events));
  await store.single((tx) => numberEvents(tx, 1, new Date(clock.now())));
  await until(loop, () => numbers('good').length >= 1 && numbers('wallet').length >= 3);
  await loop.runDue();
  assert.deepEqual(
    new Set(messages.map(({ url }) => url)),
    new Set(['https://good.example/', 'https://wallet.example/']),
  );
  // They have got nothing although other work of the keepers took so long that they are deleted only now.
  await eventCleaningChore({ store, agreedNow: async () => clock.now(), keepMs: LONGEST_MS })(() => false);
  const { rows } = await store.query('select account from event_followers');
  assert.deepEqual(rows, [{ account: 'key:good' }]);
  const { rows: left } = await store.query('select account from webhooks order by account');
  assert.deepEqual(left, [{ account: 'key:good' }, { account: `wallet:${WALLET}` }]);
  await store.query('delete from event_followers');
});

test('attack: a thief of a key has an event sent again that others wait before: none of them is left out, whether it arrives or not', {
  timeout: 60_000,
}, async () => {
  for (const first of [200, 500]) {
    const name = `first${first}`;
    await addWebhook(name);
    const { last } = (await store.query<{ last: bigint }>('select last from webhooks where id = $1', [name])).rows[0]!;
    await happen(5);
    const [from, ahead] = [Number(last) + 1, Number(last) + 5];
    const row = { number: BigInt(ahead), kind: 'order.filled' as const, at: new Date(clock.now()), tries: 0 };
    const delivery = { ...row, body: JSON.stringify({ number: ahead }) };
    await store.transaction((tx) => putDeliveries(tx, name, [delivery], new Date(clock.now())));
    let asked = 0;
    const { send, numbers } = createReceivers({ [name]: () => (++asked === 1 ? first : 200) });
    const loop = await start(send);
    // What fails is due again from the time at which that is written down: a jump before it would be none.
    await until(loop, async () => (await listAttempts(store, name)).length > 0);
    // Once: each jump ends the turns that are under way.
    clock.setOffset(clock.offsetMs + 60 * 60_000);
    await until(loop, () => numbers(name).length === 5);
    assert.deepEqual(new Set(numbers(name)), new Set(upTo(ahead, from)));
    // Otherwise it would serve the next one, too.
    await loop.close();
    await store.query('delete from webhooks');
  }
});

test('a failure leaves nothing out that came before an event of long ago', { timeout: 60_000 }, async () => {
  await addWebhook('late');
  let asked = 0;
  const { send, numbers } = createReceivers({ late: () => (++asked === 1 ? 503 : 200) });
  const loop = await start(send);
  await happen(3);
  await happen(1, 'order.filled', [WALLET], new Date(clock.now() - 2 * LONGEST_MS));
  await happen(1);
  await until(loop, async () => (await listAttempts(store, 'late')).length > 0);
  clock.setOffset(clock.offsetMs + 60 * 60_000);
  await until(loop, () => numbers('late').length === 5);
  assert.deepEqual(new Set(numbers('late')), new Set(upTo(5)));
});

test('what was long ago is tried for a day from when it was told', { timeout: 60_000 }, async () => {
  await addWebhook('behind');
  let isAway = true;
  const { send, messages, numbers } = createReceivers({ behind: () => (isAway ? 503 : 200) });
  const loop = await start(send);
  await happen(3, 'order.filled', [WALLET], new Date(clock.now() - 2 * LONGEST_MS));
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 10 * 60_000);
    return messages.length >= 6;
  });
  assert.ok(clock.offsetMs < LONGEST_MS);
  assert.deepEqual(await failedDeliveries(store, 'behind', 10), []);
  isAway = false;
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 10 * 60_000);
    return numbers('behind').length === 3;
  });
});
