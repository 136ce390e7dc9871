import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../sql.js';
import { type DatabaseProxy, PATIENCE, startDatabaseProxy, type TestPostgres, usePostgres } from '../testing.js';
import { migrateOutside, openStore } from './open-store.js';
import { connectionConfig } from './pool.js';

let server: TestPostgres;
let url: string;
let operator: pg.Client;
/** A transaction goes on seeing the activity that it has seen first. */
let observer: pg.Client;
let proxy: DatabaseProxy;
before(async () => {
  server = await usePostgres();
  url = await server.createDatabase();
  operator = new pg.Client(url);
  await operator.connect();
  observer = new pg.Client(url);
  await observer.connect();
  proxy = await startDatabaseProxy(url);
});
after(async () => {
  await proxy?.close();
  await operator?.end();
  await observer?.end();
  await server?.stop();
});

const WAITS = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'create table if not exists migrations%'`;

it('a copy that stands still while it migrates loses its locks: nothing of it is done, another one migrates, and it says so', async () => {
  const { statement_timeout, idle_in_transaction_session_timeout } = connectionConfig(url, true);
  assert.deepEqual([statement_timeout, idle_in_transaction_session_timeout], [undefined, 30_000]);
  // Its first change waits for the operator, and is made when it hears of nothing any more.
  await operator.query('begin; create table migrations (another integer)');
  const idle = { idle_in_transaction_session_timeout: 5_000 };
  const hung = migrateOutside({ ...connectionConfig(proxy.url, true, PATIENCE), ...idle });
  const outcome = assert.rejects(hung, (error: Error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(error.message, /has undone the whole migration, because this copy stood still/);
    return true;
  });
  while ((await observer.query(WAITS)).rowCount === 0) await new Promise(setImmediate);
  proxy.hang();
  await operator.query('rollback');
  const other = await openStore({ kind: 'postgres', url, patience: PATIENCE });
  proxy.resume();
  await outcome;
  await other.close();
});
