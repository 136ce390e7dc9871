import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, StoreUnavailable } from '../sql.js';
import {
  type DatabaseProxy,
  getSetting,
  PATIENCE,
  setSetting,
  startDatabaseProxy,
  type TestPostgres,
  usePostgres,
} from '../testing.js';
import { openStore } from './open-store.js';

const KILL_OTHERS =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

describe('a PostgreSQL database that drops connections', () => {
  let server: TestPostgres;
  let url: string;
  let store: Store;
  let operator: Store;
  before(async () => {
    server = await usePostgres();
    url = await server.createDatabase();
    store = await openStore({ kind: 'postgres', url, poolSize: 4, patience: PATIENCE });
    operator = await openStore({ kind: 'postgres', url, poolSize: 1, patience: PATIENCE });
  });
  after(async () => {
    await store.close();
    await operator.close();
    await server.stop();
  });

  /** Until the pool has noticed that its idle connections are gone, each of them fails one statement. */
  async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable);
      }
    }
  }

  test('goes on with new ones after another copy has migrated a table that they have statements for', async () => {
    await store.query('create table widened (id integer)');
    await store.query('insert into widened values (1)');
    const read = () => store.query<{ id: number; more?: string }>('select * from widened where id = $1', [1]);
    const locked = () => store.transaction((tx) => tx.query('select * from widened where id = $1 for update', [1]));
    for (const each of [read, locked]) assert.equal((await each()).rowCount, 1);
    await operator.query(`alter table widened add column more text not null default 'a'`);
    assert.equal((await eventually(read)).rows[0]?.more, 'a');
    assert.equal((await eventually(locked)).rowCount, 1);
  });

  test('fails what was running on them, keeps nothing of it, and goes on with new ones', async () => {
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const cut = store.transaction(async (tx) => {
      await setSetting(tx, 'cut', 1);
      started();
      await tx.query('select pg_sleep(60)');
    });
    const outcome = assert.rejects(cut, StoreUnavailable);
    await running;
    await operator.query(KILL_OTHERS);
    await outcome;
    await eventually(() => store.transaction((tx) => setSetting(tx, 'after', 1)));
    assert.equal(await getSetting(store, 'cut'), undefined);
    assert.equal(await getSetting(store, 'after'), 1);
  });

  test('is listened to again once it is back, and those who may have missed something are told so', async () => {
    const heard = new EventTarget();
    const tell = (what: string) => () => void heard.dispatchEvent(new Event(what));
    const stop = await store.listen('news', tell('heard'), tell('missed'));
    const listening = async () => {
      const sessions = `select pid from pg_stat_activity where query = 'listen "news"' and datname = current_database()`;
      return (await operator.query<{ pid: number }>(sessions)).rows.map((row) => row.pid);
    };
    const [lost] = await listening();
    const missed = once(heard, 'missed');
    await operator.query(KILL_OTHERS);
    await missed;
    while (!(await listening()).some((pid) => pid !== lost)) await new Promise(setImmediate);
    const next = once(heard, 'heard');
    await operator.transaction((tx) => tx.notify('news', 'again'));
    await next;
    await stop();
  });

  test('is reported when it cannot be reached', async () => {
    const nowhere = openStore({ kind: 'postgres', url: 'postgres://user:secret@127.0.0.1:1/none' });
    await assert.rejects(nowhere, (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /ECONNREFUSED/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });
});

describe('the embedded database', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-store-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const WRITER = `
    const { openStore } = await import(process.argv[1]);
    const { setSetting } = await import(process.argv[2]);
    const store = await openStore({ kind: 'embedded', dir: process.argv[3] });
    for (let n = 0; ; n += 1) {
      await store.transaction(async (tx) => {
        await setSetting(tx, 'a' + n, n);
        await setSetting(tx, 'b' + n, n);
      });
      console.log(n);
    }`;

  test('has every acknowledged transaction, and none in part, after its process was killed', async () => {
    const dir = join(folder, 'data/store');
    const modules = ['./open-store.js', '../testing.js'].map((name) => new URL(name, import.meta.url).href);
    for (const rounds of [200, 400]) {
      const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, ...modules, dir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let acknowledged = -1;
      for await (const line of createInterface(writer.stdout)) {
        acknowledged = Number(line);
        if (acknowledged === rounds) writer.kill('SIGKILL');
      }
      if (writer.signalCode === null) await once(writer, 'exit');
      assert.equal(writer.signalCode, 'SIGKILL');

      const store = await openStore({ kind: 'embedded', dir });
      const { rows } = await store.query<{ a: bigint; b: bigint; torn: bigint }>(
        `select count(*) filter (where key like 'a%') as a, count(*) filter (where key like 'b%') as b,
           (select count(*) from (select substr(key, 2) from settings group by 1 having count(*) <> 2) t) as torn
         from settings`,
      );
      assert.ok(rows[0]!.a > acknowledged && rows[0]!.torn === 0n, JSON.stringify([acknowledged, String(rows[0]!.a)]));
      await store.close();
    }
  });

  test('lets timers and sockets of the service run while it is busy', async () => {
    const store = await openStore({ kind: 'embedded', dir: join(folder, 'busy') });
    let busy = true;
    let ticks = 0;
    const tick = () => {
      ticks += 1;
      if (busy) setImmediate(tick);
    };
    setImmediate(tick);
    await store.query('select sum(n) from generate_series(1, 1000000) n');
    busy = false;
    assert.ok(ticks > 10, `${ticks} turns of the event loop`);
    await store.close();
  });

  test('stops for good when its folder cannot be used, with the reason', async () => {
    await assert.rejects(openStore({ kind: 'embedded', dir: '/dev/null/store' }), StoreUnavailable);
  });
});

describe('a PostgreSQL database that hangs', () => {
  let server: TestPostgres;
  let proxy: DatabaseProxy;
  let store: Store;
  before(async () => {
    server = await usePostgres();
    proxy = await startDatabaseProxy(await server.createDatabase());
    store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 2 });
    await store.probe();
  });
  after(async () => {
    await store?.close();
    await proxy?.close();
    await server?.stop();
  });

  const unavailable = (work: Promise<unknown>) => assert.rejects(work, StoreUnavailable);

  test('is told of at once by a connection of its own, ends every statement, and is used again when it answers', async () => {
    // Both connections of the pool are open.
    await Promise.all([store.query('select 1'), store.query('select 1')]);
    let hang = () => {};
    const hanging = new Promise<void>((resolve) => {
      hang = resolve;
    });
    const cut = store.transaction(async (tx) => {
      await tx.query('select 1');
      hang();
      await tx.query('select 2');
    });
    await hanging;
    proxy.hang();
    const statement = unavailable(store.query('select 3'));
    const waiting = unavailable(store.query('select 4'));
    const first = await Promise.race([
      unavailable(store.probe()).then(() => 'probe'),
      ...[statement, waiting, cut.catch(() => {})].map((work) => work.then(() => 'statement')),
    ]);
    assert.equal(first, 'probe');
    await unavailable(store.probe());
    await Promise.all([statement, waiting]);
    // No rollback is waited for: a statement that comes now, and waits for a new connection, ends later.
    const late = unavailable(store.query('select 5')).then(() => 'late');
    assert.equal(await Promise.race([unavailable(cut).then(() => 'cut'), late]), 'cut');
    await late;

    proxy.resume();
    for (const ask of [() => store.probe(), () => store.query('select 6')]) {
      while (
        await ask().then(
          () => false,
          (error) => error instanceof StoreUnavailable,
        )
      )
        await sleep(50);
    }
  });
});
