import pg from 'pg';
import { type QueryResult, StoreUnavailable } from '../sql.js';
import { ProvenClient } from './client.js';
import { embeddedStream } from './pglite-stream.js';
import { type DatabaseThread, startDatabaseThread } from './pglite-thread.js';

export type StoreConfig =
  | { kind: 'embedded'; dir: string /** Started for that folder already. */; thread?: DatabaseThread | undefined }
  | {
      kind: 'postgres';
      url: string;
      /** Connections, 10 by default. */
      poolSize?: number;
      /** Waits so many times as long for connections and statements; for tests on a busy machine. */
      patience?: number;
    };

/** Runs statements on one connection. */
export type RunStatement = <R>(
  client: pg.ClientBase,
  text: string,
  params?: readonly unknown[],
) => Promise<QueryResult<R> & { command: string }>;

const INT8 = 20;
const INT8_ARRAY = 1016;

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return BigInt;
    if (oid === INT8_ARRAY) return (text: string) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt);
    return pg.types.getTypeParser(oid, format);
  },
};

/** How long an idle transaction of a hanging instance may hold its locks, in milliseconds; a statement that runs is not idle. */
const IDLE_TIMEOUT = 30_000;
/** How long a statement may take, in milliseconds. */
const STATEMENT_TIMEOUT = 10_000;
/** Longer than the server's own limit: this one is for a server, or a connection, that no longer answers. */
const ANSWER_TIMEOUT = STATEMENT_TIMEOUT + 2_000;
/** How long a statement waits for a connection, in milliseconds. */
const CONNECTION_TIMEOUT = 5_000;
/** For the embedded database, which a busy machine may take minutes to make; it says by itself that it cannot be opened. */
const EMBEDDED_CONNECTION_TIMEOUT = 5 * 60_000;

/**
 * Settings of a connection to an external database; `patient`: without a time limit for statements. None is without one for an idle
 * transaction: of all, the one that migrates has locked the most.
 */
export function connectionConfig(url: string, patient: boolean, patience = 1): pg.ClientConfig {
  const common = {
    connectionString: url,
    application_name: 'slipway',
    connectionTimeoutMillis: CONNECTION_TIMEOUT * patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT * patience,
    types,
  };
  if (patient) return common;
  return {
    ...common,
    statement_timeout: STATEMENT_TIMEOUT * patience,
    query_timeout: ANSWER_TIMEOUT * patience,
  };
}

/** The connections of a store; the embedded database has only one. `close` waits until the last one is closed. */
export function createPool(config: StoreConfig): { pool: pg.Pool; close: () => Promise<void> } {
  const pool = new pg.Pool(
    config.kind === 'postgres'
      ? {
          ...connectionConfig(config.url, false, config.patience),
          Client: ProvenClient,
          max: config.poolSize ?? 10,
          idleTimeoutMillis: 60_000,
        }
      : {
          stream: embeddedStream(() => config.thread ?? startDatabaseThread(config.dir)),
          user: 'postgres',
          database: 'postgres',
          ssl: false,
          types,
          max: 1,
          idleTimeoutMillis: 0,
          connectionTimeoutMillis: EMBEDDED_CONNECTION_TIMEOUT,
        },
  );
  // A lost connection fails its statement, and the pool opens another. It must not end the process.
  pool.on('error', () => {});
  const open = new Map<pg.ClientBase, Promise<void>>();
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    open.set(
      client,
      ended.then(() => void open.delete(client)),
    );
  });
  return {
    pool,
    async close() {
      await pool.end();
      await Promise.all(open.values());
    },
  };
}

/** Prepares statements with parameters once per connection. There are few, because the texts are constants. */
export function createStatementRunner(): RunStatement {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    let name = names.get(text);
    if (name === undefined && names.size < 1000) {
      name = `slipway_${names.size}`;
      names.set(text, name);
    }
    return name;
  };
  return async <R>(client: pg.ClientBase, text: string, params?: readonly unknown[]) => {
    try {
      const result = await client.query(params ? { name: nameOf(text), text, values: [...params] } : text);
      // A text with several statements returns several results.
      const last: pg.QueryResult = Array.isArray(result) ? result.at(-1) : result;
      return { rows: last.rows as R[], rowCount: last.rowCount ?? 0, command: last.command };
    } catch (error) {
      throw asStoreError(error);
    }
  };
}

/** Server errors about a statement are kept (DatabaseError with SQLSTATE `code`); others become StoreUnavailable. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    // Connection exceptions, insufficient resources, operator intervention, a server that is now a replica, and statements that
    // this connection has prepared before a newer copy has migrated their table: another one prepares them anew.
    const isStale = error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
    return isStale || /^(08|53|57|25006)/.test(error.code ?? '') ? new StoreUnavailable(error) : error;
  }
  // The driver could not encode a parameter.
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new StoreUnavailable(error);
}
