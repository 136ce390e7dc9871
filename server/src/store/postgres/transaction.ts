import pg from 'pg';
import { type Sql, StoreUnavailable, type Tx } from '../sql.js';
import type { RunStatement } from './pool.js';

/**
 * Runs `work` in a transaction on a connection that nobody else uses in the meantime. Commits if it resolves, rolls
 * back if it rejects. Also rejects if `work` swallowed the error of a statement, since nothing is committed then.
 */
export async function runTransaction<T>(
  deps: { client: pg.ClientBase; run: RunStatement },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { client, run } = deps;
  let active = true;
  const ending: (() => Promise<void>)[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  // The driver accepts one statement at a time.
  const inTurn = <R>(text: string, params?: readonly unknown[]) => {
    const result = turn.then(() => run<R>(client, text, params));
    turn = result.catch(() => {});
    return result;
  };
  const handle: Sql & Pick<Tx, 'notify' | 'beforeCommit'> = {
    async query<R>(text: string, params?: readonly unknown[]) {
      if (!active) throw new Error('the transaction has ended');
      return inTurn<R>(text, params);
    },
    async notify(channel, payload) {
      await handle.query('select pg_notify($1, $2)', [channel, payload]);
    },
    beforeCommit: (last) => void ending.push(last),
  };

  await inTurn('begin');
  try {
    const result = await work(handle as Tx);
    for (const last of ending) await last();
    active = false;
    const { command } = await inTurn('commit');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    active = false;
    if (isUnanswered(error)) throw error;
    // After a commit there is nothing to roll back, for which the database only gives a notice.
    const undone = await inTurn('rollback').then(
      () => true,
      () => false,
    );
    // The connection may still be in the transaction: its lender must drop it.
    throw undone || error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
}

/** Nothing more is asked on a connection that does not answer: its lender drops it, and with it the transaction. */
function isUnanswered(error: unknown): boolean {
  return error instanceof StoreUnavailable && !(error.cause instanceof pg.DatabaseError);
}

/** Runs `work`, which is one statement, on a connection: a statement is a transaction by itself. */
export async function runSingle<T>(
  { client, run }: { client: pg.ClientBase; run: RunStatement },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let used = false;
  const handle: Sql & Pick<Tx, 'notify' | 'beforeCommit'> = {
    async query<R>(text: string, params?: readonly unknown[]) {
      if (used) throw new Error('more than one statement: use a transaction');
      used = true;
      return run<R>(client, text, params);
    },
    async notify(channel, payload) {
      await handle.query('select pg_notify($1, $2)', [channel, payload]);
    },
    beforeCommit() {
      throw new Error('more than one statement: use a transaction');
    },
  };
  return work(handle as Tx);
}
