import { Outage } from '../errors/index.js';

/** The result of a statement. `rowCount` is the number of rows it returned or changed. */
export interface QueryResult<R> {
  rows: R[];
  rowCount: number;
}

/**
 * Runs SQL: the store itself or a transaction. With both kinds of store, int8 is returned as bigint, timestamptz as
 * Date, bytea as Buffer, jsonb parsed, and numeric as string. JSON parameters are passed as JSON text.
 */
export interface Sql {
  query<R>(text: string, params?: readonly unknown[]): Promise<QueryResult<R>>;
}

/** By SQLSTATE: what a client should read of it. */
const TOLD = new Map<unknown, string>([
  ['53100', 'The database takes no writes: its disk is full'],
  ['25006', 'The database takes no writes: it is read-only'],
]);

/**
 * The database could not be reached, or was lost before it answered: the statement may or may not have taken effect.
 */
export class StoreUnavailable extends Outage {
  override readonly name = 'StoreUnavailable';
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : '';
    const told = TOLD.get((cause as { code?: unknown } | undefined)?.code);
    super('STORE_UNAVAILABLE', `the database is not available: ${reason}`, { cause, told });
  }
}

declare const txBrand: unique symbol;

/** A transaction. Its statements run one after the other. It cannot be used after the work that got it has ended. */
export interface Tx extends Sql {
  readonly [txBrand]: true;
  /** Notifies the listeners of `channel` in all instances once this transaction has committed. */
  notify(channel: string, payload: string): Promise<void>;
  /** Runs `last`, which may use this handle, when the work of the transaction has resolved, and before it commits. */
  beforeCommit(last: () => Promise<void>): void;
}

/**
 * The database. The embedded kind has ONE connection: statements and transactions wait for each other. So inside a
 * transaction, await only that transaction's own handle: awaiting the store there is a deadlock, which fails after a
 * minute. (Detecting it at once would take an AsyncLocalStorage, which makes every promise of the process more
 * expensive and would cost a fifth of a craft's time.)
 */
export interface Store extends Sql {
  readonly kind: 'embedded' | 'postgres';
  /** Connections of the pool: open, of these in use, and how many statements wait for one. */
  connections(): { open: number; used: number; waiting: number };
  /** Whether the database answers. An outside one has half a second for that. @throws StoreUnavailable */
  probe(): Promise<void>;
  /** Commits if `work` resolves, rolls back if it rejects, and passes its outcome on. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction of exactly one statement: one round trip instead of three. A second statement throws. */
  single<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` for every notification of the channel; resolves with a function that stops that. Notifications sent
   * while the connection is down are lost: callers that must not miss any also poll. `missed` is called as soon as there is another
   * connection: what is read from then on has what was lost.
   */
  listen(channel: string, handler: (payload: string) => void, missed?: () => void): Promise<() => Promise<void>>;
  /** Applies missing migrations; `openStore` has done it already. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `any` of a list of texts that is passed as this parameter. PostgreSQL plans `any($1)` anew for each length of the list,
 * which costs more than running it; behind a subselect the length is hidden, and one plan serves all.
 */
export const anyOf = (parameter: `$${number}`): string => `any(array(select unnest(${parameter}::text[])))`;

/**
 * `not in` a list of texts that is passed as this parameter. With `<> all($1)`, PostgreSQL compares each row with each of the
 * list, as soon as one plan serves all calls; a subselect it puts into a hash table.
 */
export const noneOf = (parameter: `$${number}`): string => `not in (select unnest(${parameter}::text[]))`;

/** Rows as a JSON parameter. JSON has no bigint, so they are passed as strings, which the database converts. */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}
