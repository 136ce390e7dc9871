import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { createKey, revokeKey } from '../store/keys.js';
import type { Store } from '../store/sql.js';
import { openEmbeddedStore } from '../store/testing.js';
import { createKeyLookup } from './key-lookup.js';

let store: Store;
let counted: Store;
let queries = 0;
let wall = 1_800_000_000_000;
let steady = 0;
let close: (() => Promise<void>) | undefined;

before(async () => {
  store = await openEmbeddedStore();
  counted = {
    ...store,
    query: (text, params) => {
      queries += 1;
      return store.query(text, params);
    },
  };
});
beforeEach(async () => {
  await close?.();
  close = undefined;
});
after(async () => {
  await close?.();
  await store.close();
});

async function open(sandbox = false) {
  const clock = { now: () => wall };
  const lookup = await createKeyLookup({ store: counted, clock, steadyNow: () => steady, sandbox });
  close = lookup.close;
  queries = 0;
  return lookup.find;
}

async function insert(text: string, more: { expiresAt?: Date; prefixes?: string[] } = {}): Promise<string> {
  const id = `id-of-${text}`;
  const digest = hash('sha256', text, 'buffer');
  const row = { id, name: text, prefix: text.slice(0, 8), hash: digest, tier: 'free', prefixes: [], ...more };
  await store.transaction((tx) => createKey(tx, { ...row, createdAt: new Date(wall) }));
  return id;
}

async function revoke(id: string, tell: boolean): Promise<void> {
  await store.transaction(async (tx) => {
    await revokeKey(tx, id, new Date(wall));
    if (tell) await tx.notify('keys', id);
  });
}

test('finds a key with its tier and paths, and then answers at once without the store', async () => {
  const find = await open();
  const id = await insert('slip_known', { prefixes: ['/tx'] });
  const expected = { id, tier: 'free', prefixes: ['/tx'] };
  assert.deepEqual(await find('slip_known'), expected);
  assert.deepEqual(find('slip_known'), expected);
  assert.equal(queries, 1);
});

test('an unknown text is no key, and is not asked for again', async () => {
  const find = await open();
  assert.equal(await find('slip_nobody'), undefined);
  assert.equal(find('slip_nobody'), undefined);
  assert.equal(queries, 1);
});

test('many calls with a new key at once ask the store once', async () => {
  const find = await open();
  const id = await insert('slip_burst');
  const found = await Promise.all(Array.from({ length: 50 }, () => find('slip_burst')));
  assert.ok(found.every((key) => key?.id === id));
  assert.equal(queries, 1);
});

test('a revoked key stops as soon as the revocation is announced', async () => {
  const find = await open();
  const id = await insert('slip_revoked');
  assert.equal((await find('slip_revoked'))?.id, id);
  await revoke(id, true);
  while (find('slip_revoked') !== undefined && (await find('slip_revoked')) !== undefined) {
    await new Promise(setImmediate);
  }
  assert.equal(await find('slip_revoked'), undefined);
});

test('without the announcement it stops after 10 seconds', async () => {
  const find = await open();
  const id = await insert('slip_silent');
  await find('slip_silent');
  await revoke(id, false);
  steady += 9_999;
  assert.equal((await find('slip_silent'))?.id, id);
  steady += 1;
  assert.equal(await find('slip_silent'), undefined);
});

test('a key that expires stops at that moment, also when it is remembered', async () => {
  const find = await open();
  const id = await insert('slip_expiring', { expiresAt: new Date(wall + 5_000) });
  assert.equal((await find('slip_expiring'))?.id, id);
  wall += 4_999;
  assert.equal((await find('slip_expiring'))?.id, id);
  wall += 1;
  assert.equal(await find('slip_expiring'), undefined);
});

test('what was read before a change is not remembered after it', async () => {
  let announce = (): void => undefined;
  let answer = (): void => undefined;
  const row = { id: 'late', tier: 'free', prefixes: [], expiresAt: null, revokedAt: null };
  const rows: object[][] = [[row], []];
  const slow: Store = {
    ...store,
    listen: async (_channel, handler) => {
      announce = () => handler('late');
      return async () => undefined;
    },
    query: async <R>() => {
      const next = rows.shift() ?? [];
      if (next.length > 0) await new Promise<void>((resolve) => (answer = resolve));
      return { rows: next as R[], rowCount: next.length };
    },
  };
  const { find } = await createKeyLookup({ store: slow, clock: { now: () => 0 }, steadyNow: () => 0, sandbox: false });
  const early = find('slip_late');
  announce();
  answer();
  assert.deepEqual(await early, { id: 'late', tier: 'free', prefixes: [] });
  assert.equal(await find('slip_late'), undefined);
});

test('guessing does not push a real key out of memory', async () => {
  const find = await open();
  await insert('slip_real');
  await find('slip_real');
  for (let i = 0; i < 10_100; i += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, j) => find(`slip_guess_${i + j}`)));
  }
  queries = 0;
  assert.notEqual(find('slip_real'), undefined);
  assert.equal(queries, 0);
});

test('the key "sandbox" works in the sandbox only', async () => {
  const inSandbox = await open(true);
  assert.deepEqual(inSandbox('sandbox'), { id: 'sandbox', tier: 'unlimited', prefixes: [] });
  await close?.();
  const outside = await open(false);
  assert.equal(await outside('sandbox'), undefined);
});
