import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { base58Encode } from '@slipway/wire';
import { createKey, revokeKey } from '../store/keys.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import { createKeyLookup } from './key-lookup.js';

/** A text of a key's form, for a name. */
const keyOf = (name: string) => `slip_${base58Encode(hash('sha256', name, 'buffer').subarray(0, 24))}`;

let store: Store;
let counted: Store;
let queries = 0;
let wall = 1_800_000_000_000;
let steady = 0;
let close: (() => Promise<void>) | undefined;

before(async () => {
  store = await openAnyStore();
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

async function open(sandboxKey?: string) {
  const clock = { now: () => wall };
  const lookup = await createKeyLookup({ store: counted, clock, steadyNow: () => steady, sandboxKey });
  close = lookup.close;
  queries = 0;
  return lookup.find;
}

async function insert(text: string, more: { expiresAt?: Date; prefixes?: string[] } = {}): Promise<string> {
  const id = `id of ${text}`;
  const digest = hash('sha256', text, 'buffer');
  const row = {
    id,
    name: text,
    prefix: text.slice(0, 8),
    hash: digest,
    tier: 'free',
    prefixes: [],
    origins: [],
    ...more,
  };
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
  const id = await insert(keyOf('known'), { prefixes: ['/tx'] });
  const expected = { id, tier: 'free', prefixes: ['/tx'], origins: [] };
  assert.deepEqual(await find(keyOf('known')), expected);
  assert.deepEqual(find(keyOf('known')), expected);
  assert.equal(queries, 1);
});

test('an unknown text is no key, and is not asked for again', async () => {
  const find = await open();
  assert.equal(await find(keyOf('nobody')), undefined);
  assert.equal(find(keyOf('nobody')), undefined);
  assert.equal(queries, 1);
});

test('many calls with a new key at once ask the store once', async () => {
  const find = await open();
  const id = await insert(keyOf('burst'));
  const found = await Promise.all(Array.from({ length: 50 }, () => find(keyOf('burst'))));
  assert.ok(found.every((key) => key?.id === id));
  assert.equal(queries, 1);
});

test('a revoked key stops as soon as the revocation is announced', async () => {
  const find = await open();
  const id = await insert(keyOf('revoked'));
  assert.equal((await find(keyOf('revoked')))?.id, id);
  await revoke(id, true);
  while (find(keyOf('revoked')) !== undefined && (await find(keyOf('revoked'))) !== undefined) {
    await new Promise(setImmediate);
  }
  assert.equal(await find(keyOf('revoked')), undefined);
});

test('without the announcement it stops after 10 seconds', async () => {
  const find = await open();
  const id = await insert(keyOf('silent'));
  await find(keyOf('silent'));
  await revoke(id, false);
  steady += 9_999;
  assert.equal((await find(keyOf('silent')))?.id, id);
  steady += 1;
  assert.equal(await find(keyOf('silent')), undefined);
});

test('a key that expires stops at that moment, also when it is remembered', async () => {
  const find = await open();
  const id = await insert(keyOf('expiring'), { expiresAt: new Date(wall + 5_000) });
  assert.equal((await find(keyOf('expiring')))?.id, id);
  wall += 4_999;
  assert.equal((await find(keyOf('expiring')))?.id, id);
  wall += 1;
  assert.equal(await find(keyOf('expiring')), undefined);
});

test('what was read before a change is not remembered after it', async () => {
  let announce = (): void => undefined;
  let answer: (() => void) | undefined;
  const digest = hash('sha256', keyOf('late'), 'buffer');
  const row = { id: 'late', tier: 'free', prefixes: [], origins: [], expiresAt: null, revokedAt: null, hash: digest };
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
  const { find } = await createKeyLookup({
    store: slow,
    clock: { now: () => 0 },
    steadyNow: () => 0,
    sandboxKey: undefined,
  });
  const early = find(keyOf('late'));
  while (answer === undefined) await new Promise(setImmediate);
  announce();
  answer();
  assert.deepEqual(await early, { id: 'late', tier: 'free', prefixes: [], origins: [] });
  assert.equal(await find(keyOf('late')), undefined);
});

test('guessing does not push a real key out of memory', async () => {
  const find = await open();
  await insert(keyOf('real'));
  await find(keyOf('real'));
  for (let i = 0; i < 10_100; i += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, j) => find(keyOf(`guess ${i + j}`))));
  }
  queries = 0;
  assert.notEqual(find(keyOf('real')), undefined);
  assert.equal(queries, 0);
});

test('the key of a sandbox works there only', async () => {
  const inSandbox = await open('sandbox');
  assert.deepEqual(inSandbox('sandbox'), { id: 'sandbox', tier: 'unlimited', prefixes: [], origins: [] });
  await close?.();
  const inAnother = await open('Zm9v-another');
  assert.notEqual(inAnother('Zm9v-another'), undefined);
  for (const text of ['sandbox', '', 'Zm9v-anothe', 'Zm9v-another0']) assert.equal(inAnother(text), undefined, text);
  await close?.();
  const outside = await open();
  assert.equal(outside('sandbox'), undefined);
});

test('attack: a caller without a key sends 10,000 random texts as keys: no statement', async () => {
  const find = await open();
  const alphabets = ['base64', 'base64url', 'hex', 'latin1'] as const;
  for (let i = 0; i < 10_000; i++) {
    const text = randomBytes(24).toString(alphabets[i % 4]);
    assert.equal(find(i % 2 ? `slip_${text}0` : text), undefined);
  }
  for (const text of ['', 'slip_', 'Slip_111111111111111111111111111111111', `slip_${'1'.repeat(5_000)}`]) {
    assert.equal(find(text), undefined);
  }
  assert.equal(queries, 0);
});

test('attack: a caller without a key sends 10,000 well-made keys that nobody has: one statement at a time, and not more than 20', async () => {
  let running = 0;
  let mostRunning = 0;
  const watched: Store = {
    ...counted,
    query: async (text, params) => {
      mostRunning = Math.max(mostRunning, ++running);
      return counted.query(text, params).finally(() => running--) as never;
    },
  };
  const clock = { now: () => wall };
  const lookup = await createKeyLookup({ store: watched, clock, steadyNow: () => steady, sandboxKey: undefined });
  close = lookup.close;
  queries = 0;
  const made = await Promise.all(Array.from({ length: 10_000 }, (_, i) => lookup.find(keyOf(`made up ${i}`))));
  assert.ok(made.every((key) => key === undefined));
  assert.ok(queries <= 20, `${queries} statements`);
  assert.equal(mostRunning, 1);
});
