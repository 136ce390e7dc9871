import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runMigrations } from './postgres/migrate.js';
import type { Store, Tx } from './sql.js';
import { getSetting, openTestStore, setSetting } from './testing.js';

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the ${kind} store`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    test('a single statement is kept by itself, and a second one is refused', async () => {
      await store.single((tx) => setSetting(tx, 'single', 1));
      assert.equal(await getSetting(store, 'single'), 1);
      const two = store.single(async (tx) => {
        await setSetting(tx, 'single', 2);
        await setSetting(tx, 'single', 3);
      });
      await assert.rejects(two, /more than one statement/);
      assert.equal(await getSetting(store, 'single'), 2);
    });

    test('gives values back as the types that the port promises', async () => {
      const at = new Date('2026-11-20T12:34:56.789Z');
      const { rows } = await store.query<Record<string, unknown>>(
        `select $1::bigint as big, $2::timestamptz as at, $3::bytea as bytes, $4::jsonb as json, $5::text[] as texts,
           $6::bigint[] as bigs, $7::numeric(20, 0) as number, null::text as nothing, true as yes, 2.5::float8 as float`,
        [
          9223372036854775807n,
          at,
          new Uint8Array([0, 255, 92]),
          '{"a":[1,"x"]}',
          ['a,"b\\', ''],
          [1n, -2n],
          2n ** 64n - 1n,
        ],
      );
      assert.deepEqual(rows, [
        {
          big: 9223372036854775807n,
          at,
          bytes: Buffer.from([0, 255, 92]),
          json: { a: [1, 'x'] },
          texts: ['a,"b\\', ''],
          bigs: [1n, -2n],
          number: '18446744073709551615',
          nothing: null,
          yes: true,
          float: 2.5,
        },
      ]);
    });

    test('goes on after a statement that the database refuses', async () => {
      await assert.rejects(store.query('select 1 / $1::int', [0]), { code: '22012' });
      await assert.rejects(store.query('select nothing'), { code: '42703' });
      await assert.rejects(store.query('select $1::int', ['x']), { code: '22P02' });
      assert.deepEqual((await store.query('select $1::int as one', [1])).rows, [{ one: 1 }]);
    });

    test('keeps what a transaction wrote only when its work fulfills', async () => {
      const kept = await store.transaction(async (tx) => {
        await setSetting(tx, 'kept', 1);
        return 'done';
      });
      assert.equal(kept, 'done');
      const failed = store.transaction(async (tx) => {
        await setSetting(tx, 'lost', 1);
        throw new Error('changed my mind');
      });
      await assert.rejects(failed, { message: 'changed my mind' });
      assert.equal(await getSetting(store, 'kept'), 1);
      assert.equal(await getSetting(store, 'lost'), undefined);
    });

    test('does not call a transaction done when it hid a failed statement', async () => {
      const hiding = store.transaction(async (tx) => {
        await setSetting(tx, 'hidden', 1);
        await tx.query('select nothing').catch(() => {});
      });
      await assert.rejects(hiding, /rolled back/);
      assert.equal(await getSetting(store, 'hidden'), undefined);
    });

    test('runs the statements of a transaction one after the other, and none after its end', async () => {
      const kept: Tx[] = [];
      await store.transaction(async (tx) => {
        kept.push(tx);
        await Promise.all([1, 2, 3].map((value) => setSetting(tx, 'order', value)));
      });
      assert.equal(await getSetting(store, 'order'), 3);
      await assert.rejects(setSetting(kept[0]!, 'order', 4), /has ended/);
    });

    test('delivers notifications when their transaction commits, and those of no other', async () => {
      const heard: string[] = [];
      const events = new EventTarget();
      const stop = await store.listen('news "1"', (payload) => {
        heard.push(payload);
        events.dispatchEvent(new Event('heard'));
      });
      await assert.rejects(
        store.transaction(async (tx) => {
          await tx.notify('news "1"', 'rolled back');
          throw new Error('no');
        }),
      );
      await store.transaction((tx) => tx.notify('other', 'not for us'));
      const next = once(events, 'heard');
      await store.transaction((tx) => tx.notify('news "1"', 'committed'));
      await next;
      await stop();
      await store.transaction((tx) => tx.notify('news "1"', 'too late'));
      const again = once(events, 'heard');
      const stopAgain = await store.listen('news "1"', (payload) => {
        heard.push(payload);
        events.dispatchEvent(new Event('heard'));
      });
      await store.transaction((tx) => tx.notify('news "1"', 'again'));
      await again;
      await stopAgain();
      assert.deepEqual(heard, ['committed', 'again']);
    });

    test('applies a migration once, all or nothing, and refuses one that changed or is unknown', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'slipway-migrations-'));
      try {
        await store.query('create schema other');
        const elsewhere = {
          transaction: <T>(work: (tx: Tx) => Promise<T>) =>
            store.transaction(async (tx) => {
              await tx.query('set local search_path to other');
              return work(tx);
            }),
        };
        const migrate = () => runMigrations(elsewhere, pathToFileURL(`${folder}/`));
        await writeFile(join(folder, '0001_a.sql'), 'create table a (x int); insert into a values (1);');
        await migrate();
        await migrate();
        assert.equal((await store.query('select from other.a')).rowCount, 1);

        await writeFile(join(folder, '0002_b.sql'), 'create table b (x int);');
        await writeFile(join(folder, '0003_c.sql'), 'create table c (x nonsense);');
        await assert.rejects(migrate(), { code: '42704' });
        await assert.rejects(store.query('select from other.b'), { code: '42P01' });

        await rm(join(folder, '0003_c.sql'));
        await migrate();
        await writeFile(join(folder, '0001_a.sql'), 'create table a (x bigint);');
        await assert.rejects(migrate(), /0001_a\.sql has changed/);
        await rm(join(folder, '0001_a.sql'));
        await assert.rejects(migrate(), /0001_a\.sql, which this version does not know/);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
