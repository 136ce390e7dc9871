import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from './sql.js';
import { careForTables } from './table-care.js';
import { openTestStore } from './testing.js';

const ROWS = 5_000;
const LOOK_UP = 'select id from verifications where request_id = any($1)';
const insert = (from: number, to: number) => `
  insert into verifications (id, token_id, kind, state, request_id, payer, payment_currency, payment_amount, created_at)
  select i, i, 'metadata', 'reserved', 'r' || i, 'payer', 'SOL', 1, now() from generate_series(${from}, ${to}) i`;

/** One after the other, so that all are of one connection. */
async function lookUp(store: Store, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await store.query(LOOK_UP, [[`r${i}`]]);
}

interface Counts {
  /** Rows that were read by statements that use no index. */
  read: bigint;
  dead: bigint;
  changed: bigint;
}

async function countsOf(store: Store): Promise<Counts> {
  await store.query('select pg_stat_force_next_flush()');
  const { rows } = await store.query<Counts>(
    `select seq_tup_read as read, n_dead_tup as dead, n_mod_since_analyze as changed
     from pg_stat_user_tables where relname = 'verifications'`,
  );
  return rows[0]!;
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the tables of the ${kind} store`, () => {
    it('statements that were planned for an empty table use its index once it is full', async () => {
      const { store, close } = await openTestStore(kind);
      try {
        // The server's own care would come in between now and then.
        await store.query('alter table verifications set (autovacuum_enabled = false)');
        await store.query("set plan_cache_mode = 'force_generic_plan'");
        await store.query('set enable_indexscan = off; set enable_bitmapscan = off');
        await lookUp(store, 1);
        await store.query('reset enable_indexscan; reset enable_bitmapscan');
        await store.query(insert(1, ROWS));
        const before = await countsOf(store);
        await lookUp(store, 10);
        const after = await countsOf(store);
        assert.equal(after.read - before.read, BigInt(10 * ROWS), 'the plan is not the one for an empty table');

        await careForTables(store);
        const cared = await countsOf(store);
        await lookUp(store, 10);
        assert.equal((await countsOf(store)).read, cared.read);
      } finally {
        await close();
      }
    });
  });
}

it('the embedded store clears dead rows away', async () => {
  const { store, close } = await openTestStore('embedded');
  try {
    await store.query(insert(1, ROWS));
    await store.query("update verifications set state = 'pending'");
    assert.equal((await countsOf(store)).dead, BigInt(ROWS));
    await careForTables(store);
    const { dead, changed } = await countsOf(store);
    assert.deepEqual({ dead, changed }, { dead: 0n, changed: 0n });
  } finally {
    await close();
  }
});

it('a table that has hardly grown is left alone', async () => {
  const { store, close } = await openTestStore('embedded');
  try {
    await store.query(insert(1, ROWS));
    await countsOf(store);
    await careForTables(store);
    await store.query(insert(ROWS + 1, ROWS + 1_000));
    await countsOf(store);
    await careForTables(store);
    assert.equal((await countsOf(store)).changed, 1_000n);
  } finally {
    await close();
  }
});
