import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  addUnread,
  countUnread,
  getIndexCursor,
  lockIndexCursor,
  removeUnread,
  resetIndexCursor,
  setIndexCursor,
  tryUnread,
} from './index-cursors.js';
import { runMigrations } from './postgres/migrate.js';
import type { Store, Tx } from './sql.js';
import { openTestStore } from './testing.js';

const at = new Date('2026-01-02T03:04:05Z');

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: one at a time says how far a program was read, and what could not be`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const step = () =>
      store.transaction(async (tx) => {
        const cursor = await lockIndexCursor(tx, 'p');
        await setIndexCursor(tx, 'p', { ...cursor, newest: 'n', newestPosition: cursor.newestPosition + 1n });
      });
    assert.equal(await getIndexCursor(store, 'p'), undefined);
    await Promise.all(Array.from({ length: 8 }, step));
    const { newest, newestPosition, oldestPosition, complete } = (await getIndexCursor(store, 'p'))!;
    assert.deepEqual([newest, newestPosition, oldestPosition, complete], ['n', 8n, 0n, false]);

    const places = ['a', 'b', 'c'].map((txId, index) => ({ txId, slot: BigInt(index), position: 1n, at }));
    for (const some of [places, places.slice(1)]) await store.single((tx) => addUnread(tx, 'p', some));
    const tried = async () =>
      (await store.single((tx) => tryUnread(tx, 'p', 2))).sort((a, b) => Number(a.slot - b.slot));
    assert.deepEqual(await tried(), places.slice(1));
    assert.deepEqual(
      (await tried()).map(({ txId }) => txId),
      ['a', 'c'],
      'those that were tried least, first',
    );
    assert.equal(await countUnread(store, 'p'), 3);
    const remove = (...txIds: string[]) => store.single((tx) => removeUnread(tx, 'p', txIds));
    assert.deepEqual(await remove('a', 'unknown'), new Set(['a']));
    assert.deepEqual(await remove('a'), new Set());
    assert.equal(await countUnread(store, 'p'), 2);
    assert.equal(await countUnread(store, 'other'), 0);

    await store.transaction((tx) => lockIndexCursor(tx, 'other'));
    await store.transaction((tx) => resetIndexCursor(tx, 'p'));
    assert.deepEqual(await getIndexCursor(store, 'p'), await getIndexCursor(store, 'other'));
    assert.equal(await countUnread(store, 'p'), 0);
  });
}
const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url);

/** A schema with what versions before index-cursors had, and `fill` in it; then with all migrations. */
async function upgraded(store: Store, schema: string, fill: string) {
  await store.query(`create schema ${schema}`);
  const inSchema = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    store.transaction(async (tx) => {
      await tx.query(`set local search_path to ${schema}`);
      return work(tx);
    });
  const folder = await mkdtemp(join(tmpdir(), 'slipway-migrations-'));
  try {
    const names = (await readdir(MIGRATIONS)).filter((name) => name < '0021');
    for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(folder, name));
    await runMigrations({ transaction: inSchema }, pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true });
  }
  await inSchema((tx) => tx.query(fill));
  await runMigrations({ transaction: inSchema }, MIGRATIONS);
  return inSchema;
}

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: an upgrade keeps how far both programs were read, and what could not be`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const inSchema = await upgraded(
      store,
      'upgraded',
      `insert into limit_order_cursors values ('orders', 'n', 'o', 7, -3, false, 40);
       insert into limit_order_unread values ('orders', 'u', 39, 6, '2026-01-02T03:04:05Z', 2);
       insert into invite_index (program) values ('invites');
       insert into invite_transactions (signature, slot, at, is_read, tries) values
         ('a', 10, '2026-01-02T03:04:05Z', true, 0), ('b', 10, '2026-01-02T03:04:05Z', false, 3),
         ('d', 12, '2026-01-02T03:04:05Z', true, 0), ('c', 11, '2026-01-02T03:04:05Z', false, 0);
       insert into invite_events values (10, 1, 0, 'a', '2026-01-02T03:04:05Z', '{}')`,
    );
    await inSchema(async (tx) => {
      assert.deepEqual(await getIndexCursor(tx, 'orders'), {
        newest: 'n',
        oldest: 'o',
        newestSlot: 40n,
        newestPosition: 7n,
        oldestPosition: -3n,
        complete: false,
      });
      assert.deepEqual(await tryUnread(tx, 'orders', 9), [{ txId: 'u', slot: 39n, position: 6n, at }]);
      assert.deepEqual(await getIndexCursor(tx, 'invites'), {
        newest: 'd',
        oldest: 'a',
        newestSlot: 12n,
        newestPosition: 3n,
        oldestPosition: -1n,
        complete: true,
      });
      assert.deepEqual(await tryUnread(tx, 'invites', 1), [{ txId: 'c', slot: 11n, position: 4n, at }]);
      assert.equal(await countUnread(tx, 'invites'), 2);
    });
    // What a copy of the version before does meanwhile.
    await inSchema(async (tx) => {
      const insert = `insert into limit_order_cursors (program, newest, oldest, newest_position, oldest_position, complete)
        values ($1, '', '', 0, 0, false) on conflict do nothing`;
      for (const program of ['orders', 'other']) await tx.query(insert, [program]);
      await tx.query('select newest_slot from limit_order_cursors where program = $1 for update', ['orders']);
      await tx.query(`update limit_order_cursors set newest = 'later' where program = $1`, ['orders']);
      await tx.query(`delete from limit_order_unread where program = 'orders'`);
      await tx.query(
        `insert into limit_order_unread (program, tx_id, slot, position, at) values ('orders', 'v', 1, 1, $1)
         on conflict do nothing`,
        [at],
      );
      assert.equal((await getIndexCursor(tx, 'orders'))?.newest, 'later');
      assert.equal((await getIndexCursor(tx, 'other'))?.newestSlot, 0n);
      assert.equal(await countUnread(tx, 'orders'), 1);
    });
  });

  test(`${kind}: an upgrade where invites were asked for and none were there, and where nothing was ever asked`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const asked = await upgraded(store, 'asked', `insert into invite_index (program) values ('invites')`);
    const cursor = await asked((tx) => getIndexCursor(tx, 'invites'));
    assert.deepEqual([cursor?.newest, cursor?.complete], ['', false]);
    const never = await upgraded(store, 'never', 'select 1');
    assert.equal(await never((tx) => getIndexCursor(tx, 'invites')), undefined);
  });
}
