import type pg from 'pg';
import { type Sql, type Store, StoreUnavailable } from '../sql.js';
import { ProvenClient } from './client.js';
import { createListener, type Dispatch, openSession, type Session } from './listener.js';
import { runMigrations } from './migrate.js';
import { asStoreError, connectionConfig, createPool, createStatementRunner, type StoreConfig } from './pool.js';
import { createProbe, PROBE } from './probe.js';
import { runSingle, runTransaction } from './transaction.js';

/** A database that is being opened: parts may take the store, and use it when `opened` has resolved. */
export interface OpeningStore {
  store: Store;
  /** Rejects as `openStore` throws; the store is closed then. */
  opened: Promise<void>;
}

/**
 * Opens the database and migrates it to the current schema. Nobody else may use the folder of an embedded database: the
 * caller locks it before and unlocks it after `close` (two processes in one folder destroy the data).
 * @throws StoreUnavailable if it cannot be reached; Error if its migrations do not match
 */
export async function openStore(config: StoreConfig): Promise<Store> {
  const { store, opened } = beginToOpenStore(config);
  await opened;
  return store;
}

/** The same for a caller that has something else to do meanwhile. */
export function beginToOpenStore(config: StoreConfig): OpeningStore {
  const store = createStore(config);
  const opened = store.migrate().catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  // Whoever waits for it is told; nobody may yet.
  opened.catch(() => {});
  return { store, opened };
}

function createStore(config: StoreConfig): Store {
  const { pool, close } = createPool(config);
  const run = createStatementRunner();

  /** Lends a connection. If it has broken, the pool drops it afterwards. */
  async function withConnection<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw asStoreError(error);
    });
    let broken = false;
    try {
      return await use(client);
    } catch (error) {
      // Not with the embedded database: dropping its only connection would end it.
      broken = config.kind === 'postgres' && error instanceof StoreUnavailable;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  const onStore: Sql = { query: (text, params) => withConnection((client) => run(client, text, params)) };
  const listener = createListener(
    config.kind === 'postgres'
      ? (dispatch) => openSession(connectionConfig(config.url, false, config.patience), dispatch)
      : (dispatch) => embeddedSession(pool, onStore, dispatch),
  );
  const probe =
    config.kind === 'postgres' ? createProbe(connectionConfig(config.url, false, config.patience)) : undefined;
  let closed: Promise<void> | undefined;

  const store: Store = {
    kind: config.kind,
    query: onStore.query,
    connections: () => ({
      open: pool.totalCount,
      used: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    // The embedded database has no second connection.
    probe: async () => void (await (probe ? probe.ask() : onStore.query(PROBE))),
    async transaction(work) {
      return withConnection((client) => runTransaction({ client, run }, work));
    },
    async single(work) {
      return withConnection((client) => runSingle({ client, run }, work));
    },
    async listen(...asked) {
      return listener.listen(...asked);
    },
    async migrate() {
      if (config.kind === 'embedded') return runMigrations(store);
      await migrateOutside(connectionConfig(config.url, true, config.patience));
    },
    close() {
      closed ??= Promise.all([listener.close(), probe?.close()]).then(close);
      return closed;
    },
  };
  return store;
}

/** PostgreSQL's name for having ended a transaction in which nothing was asked for too long. */
const STOOD_STILL = '25P03';

/**
 * On its own connection: migrating, or waiting for another instance to migrate, may exceed the statement timeout.
 * @throws StoreUnavailable
 */
export async function migrateOutside(connection: pg.ClientConfig): Promise<void> {
  const client = new ProvenClient(connection);
  // Where no statement runs, this alone tells why the connection has ended.
  let ended: unknown;
  client.on('error', (error) => {
    ended ??= error;
  });
  try {
    await client.connect().catch((error: unknown) => {
      throw asStoreError(error);
    });
    const run = createStatementRunner();
    await runMigrations({ transaction: (work) => runTransaction({ client, run }, work) });
  } catch (error) {
    const causes = [ended, error, (error as Error).cause] as ({ code?: unknown } | undefined)[];
    if (!causes.some((cause) => cause?.code === STOOD_STILL)) throw error;
    const reason =
      'it has undone the whole migration, because this copy stood still in it for too long; start it again';
    throw new StoreUnavailable(new Error(reason, { cause: error }));
  } finally {
    await client.end();
  }
}

/** The embedded database's only connection also receives the notifications. */
async function embeddedSession(pool: pg.Pool, sql: Sql, dispatch: Dispatch): Promise<Session> {
  const client = await pool.connect();
  client.on('notification', ({ channel, payload }) => dispatch(channel, payload ?? ''));
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  client.release();
  return { run: (text) => sql.query(text), lost, close: async () => {} };
}
