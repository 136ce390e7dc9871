import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { pino } from 'pino';
import { createKey } from '../../store/keys.js';
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
