import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { PATIENCE_MS } from '../../lib/testing.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { createKey } from '../../store/keys.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { Hub } from './hub.js';
import { Reader } from './reader.js';

test('attack: a thief of a key opens a stream in the moment in which that key is revoked, or before it expires: it ends within seconds', async (t) => {
  const store = await openAnyStore();
  const hub = new Hub({ store, log: pino({ level: 'silent' }) });
  t.after(async () => {
    await hub.close();
    await store.close();
  });
  await hub.start();
  const begun = new Date(Date.now() - 60_000);
  const row = { name: 'a key', prefix: 'slip_', tier: 'free', prefixes: [], origins: [], createdAt: begun };
  for (const id of ['revoked', 'expired', 'good'])
    await store.transaction((tx) => createKey(tx, { ...row, id, hash: Buffer.from(id) }));
  // No stream of theirs was there when that was told.
  await store.query(`update api_keys set revoked_at = $1 where id = 'revoked'`, [begun]);
  await store.query(`update api_keys set expires_at = $1 where id = 'expired'`, [begun]);
  const cut: string[] = [];
  const open = (key: string) => {
    const more = { account: `key:${key}`, caller: key, after: 0n, login: undefined, wants: () => true };
    const reader = new Reader({ ...more, key, cut: () => void cut.push(key) });
    hub.add(reader);
    return once(reader.body, 'close');
  };
  const ended = Promise.all([open('revoked'), open('expired')]);
  void open('good');
  void open('of-a-sandbox');
  await ended;
  assert.deepEqual(cut.sort(), ['expired', 'revoked']);
});

test('attack: a free key opens a stream whose events are deleted before it reads them, beside one that has had them: it is closed, and not looked for without end', async (t) => {
  const store = await openAnyStore();
  const asked = { count: 0 };
  const counting: Store = {
    ...store,
    query: (text, params) => {
      if (text.includes('from events')) asked.count += 1;
      return store.query(text, params);
    },
  };
  const hub = new Hub({ store: counting, log: pino({ level: 'silent' }) });
  t.after(async () => {
    await hub.close();
    await store.close();
  });
  await hub.start();
  await store.query(`insert into event_accounts (account, last) values ('key:k', 300)`);
  const open = (after: bigint) => {
    const more = { account: 'key:k', caller: 'k', key: 'k', login: undefined, wants: () => true, cut: () => {} };
    const reader = new Reader({ ...more, after });
    const closed = once(reader.body, 'close');
    hub.add(reader);
    return { reader, closed };
  };
  const upToDate = open(300n);
  assert.ok(await until(() => asked.count >= 2), 'it has joined');
  const behind = open(100n);
  assert.ok(
    await waitAtMost(
      PATIENCE_MS,
      behind.closed.then(() => {}),
    ),
    'it is closed',
  );
  assert.equal(upToDate.reader.isClosed, false);
  assert.ok(asked.count <= 4, `${asked.count} statements`);
});

test('a stream that waits for its turn while the service closes ends when what waits for it has been read, and is not cut', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  let wait: Promise<unknown> | undefined;
  const asked: Promise<unknown>[] = [];
  const slow: Store = {
    ...store,
    async query<R>(text: string, params?: readonly unknown[]) {
      if (!text.includes('from events')) return store.query<R>(text, params);
      const answer = Promise.resolve(wait).then(() => store.query<R>(text, params));
      asked.push(answer);
      return answer;
    },
  };
  const hub = new Hub({ store: slow, log: pino({ level: 'silent' }) });
  await hub.start();
  await store.query(`insert into event_accounts (account, last) values ('key:k', 300)`);
  let cuts = 0;
  const open = (after: bigint) => {
    const more = { account: 'key:k', caller: 'k', key: 'k', login: undefined, wants: () => true };
    const reader = new Reader({ ...more, after, cut: () => void cuts++ });
    hub.add(reader);
    return reader;
  };
  open(300n);
  assert.ok(await until(() => asked.length >= 2), 'it has joined');
  let answer = () => {};
  wait = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const waiting = [open(0n), open(0n)];
  await hub.close();
  answer();
  await Promise.all(asked);
  await sleep(1);
  for (const { body } of waiting) {
    const told = [];
    for await (const text of body) told.push(String(text));
    assert.match(told.join(''), /^retry: 1000/);
  }
  assert.equal(cuts, 0);
});

async function until(isSo: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS && !isSo(); waited += 5) await sleep(5);
  return isSo();
}
