import { Outage } from '../errors/index.js';

/** What a statement gave back. `rowCount` is the number of rows it returned or changed. */
export interface QueryResult<R> {
  rows: R[];
  rowCount: number;
}

/**
 * A place to send SQL to: the store itself, or a transaction. On both kinds of store int8 comes back as bigint,
 * timestamptz as Date, bytea as Buffer, jsonb parsed and numeric as string. A JSON parameter is passed as JSON text.
 */
export interface Sql {
  query<R>(text: string, params?: readonly unknown[]): Promise<QueryResult<R>>;
}

/** The database could not be reached, or went away before it had answered: what was asked may or may not be done. */
export class StoreUnavailable extends Outage {
  override readonly name = 'StoreUnavailable';
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : '';
    super('STORE_UNAVAILABLE', `the database is not available: ${reason}`, { cause });
  }
}

declare const txBrand: unique symbol;

/** A transaction. Its statements run one after the other; it is dead once the work that got it has ended. */
export interface Tx extends Sql {
  readonly [txBrand]: true;
  /** Tells every listener of `channel`, in every copy of the service, once this transaction has committed. */
  notify(channel: string, payload: string): Promise<void>;
}

/**
 * The database. The embedded kind has ONE connection: statements and transactions wait for each other, so nothing may
 * wait inside a transaction for anything but that transaction's own handle. What waits for the store there waits for
 * itself, and fails after a minute. (Watching for it at once would take an AsyncLocalStorage, which makes every promise
 * of the process dearer: a fifth of a craft's time.)
 */
export interface Store extends Sql {
  readonly kind: 'embedded' | 'postgres';
  /** Commits when `work` fulfills, rolls back when it rejects, and passes its outcome on. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction of exactly one statement: one round trip instead of three. A second statement throws. */
  single<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` for every notification of the channel; the answer ends it. What is sent while the connection is
   * down is not delivered later: whoever must not miss anything also polls.
   */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>;
  /** Applies the migrations that are missing; `openStore` has done it already. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/** Rows as a JSON parameter. JSON has no bigint: the database reads numbers out of texts as well. */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}
