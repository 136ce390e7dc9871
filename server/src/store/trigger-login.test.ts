import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addChallenge, type Challenge, consumeChallenge, deleteChallenges, recentChallenges } from './challenges.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';
import { findVault, insertVault } from './vaults.js';

const START = Date.UTC(2026, 10, 20);
const at = (seconds: number) => new Date(START + seconds * 1000);

let nextId = 0;
function fresh(wallet: string, seconds: number, changes: Partial<Challenge> = {}) {
  nextId += 1;
  const id = String(nextId).padStart(6, '0');
  const times = { createdAt: at(seconds), expiresAt: at(seconds + 300) };
  return { id, wallet, type: 'message' as const, challenge: `sign ${id}`, blockhash: null, ...times, ...changes };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`logins and vaults on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    const add = (challenge: ReturnType<typeof fresh>) => store.transaction((tx) => addChallenge(tx, challenge, 5));
    const use = (wallet: string, id: string, seconds: number) =>
      store.single((tx) => consumeChallenge(tx, wallet, id, at(seconds)));

    test('attack: a free key asks for challenges in the name of a wallet: it ends none of them early', async () => {
      const first = await add(fresh('w1', 0));
      const ids = [first.id];
      for (let second = 1; second < 150; second += 1) ids.push((await add(fresh('w1', second))).id);
      assert.equal(new Set(ids).size, 5);
      assert.equal(await use('w1', first.id, 149), true);
    });

    test('once the newest is past half of its life, the oldest gives way to a new one', async () => {
      const first = await add(fresh('w2', 0));
      for (const second of [1, 2, 3, 4]) await add(fresh('w2', second));
      const asked = fresh('w2', 155);
      assert.equal((await add(asked)).id, asked.id);
      assert.equal(await use('w2', first.id, 156), false);
      const live = (await recentChallenges(store, 'w2', 'message', 20)).filter(({ expiresAt }) => expiresAt > at(156));
      assert.equal(live.length, 5);
    });

    test('a wallet and a type have challenges of their own', async () => {
      for (let n = 0; n < 5; n += 1) await add(fresh('w3', 0));
      const other = fresh('w3', 0, { type: 'transaction', blockhash: 'hash' });
      assert.equal((await add(other)).id, other.id);
      const elsewhere = fresh('w4', 0);
      assert.equal((await add(elsewhere)).id, elsewhere.id);
      const [stored] = await recentChallenges(store, 'w3', 'transaction', 20);
      assert.deepEqual(stored, { ...other, usedAt: null });
    });

    test('of many that use one challenge at once, one does', async () => {
      const { id } = await add(fresh('w5', 0));
      const results = await Promise.all(Array.from({ length: 20 }, () => use('w5', id, 1)));
      assert.equal(results.filter(Boolean).length, 1);
      assert.equal(await use('w5', id, 2), false);
    });

    test('of many that ask at once, nobody gets more than five', async () => {
      const got = await Promise.all(Array.from({ length: 20 }, () => add(fresh('w6', 0))));
      assert.equal(new Set(got.map(({ id }) => id)).size, 5);
    });

    test('an expired challenge cannot be used, and is forgotten in the end', async () => {
      const { id } = await add(fresh('w7', 0));
      assert.equal(await use('w7', id, 300), false);
      await store.single((tx) => deleteChallenges(tx, at(300)));
      assert.equal((await recentChallenges(store, 'w7', 'message', 20)).length, 1);
      await store.single((tx) => deleteChallenges(tx, at(301)));
      assert.deepEqual(await recentChallenges(store, 'w7', 'message', 20), []);
    });

    test('a wallet has one vault, however many ask for it at once', async () => {
      const vault = { wallet: 'w8', id: 'first', address: 'vault of w8', createdAt: at(0) };
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store.single((tx) => insertVault(tx, { ...vault, id: `id ${n}` }))),
      );
      const [winner, ...others] = made.filter((each) => each !== undefined);
      assert.deepEqual(others, []);
      assert.deepEqual(await findVault(store, 'w8'), winner);
      assert.equal(await findVault(store, 'w9'), undefined);
    });
  });
}
