import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Store } from '../store/sql.js';
import { ledgerChore, ledgerCleaningChore } from './ledger.js';

const HOUR = 3_600_000;

/** A database with this machine's time, and what else it was asked. */
function database() {
  const asked: string[] = [];
  const other = async (text: string) => {
    asked.push(text);
    return { rows: text.includes('as deleted') ? [{ deleted: 0n }] : [], rowCount: 0 };
  };
  const work = (run: (tx: unknown) => Promise<unknown>) => run({ query: other, notify: other });
  const store = {
    kind: 'postgres',
    query: (text: string) =>
      text.includes('clock_timestamp') ? { rows: [{ time: String(Date.now() / 1_000) }] } : other(text),
    transaction: work,
    single: work,
  } as unknown as Store;
  return { store, asked };
}

test('attack: an operator by mistake lets the clock of a machine jump an hour ahead while the service runs: no order expires by it, and nothing is deleted', async () => {
  const { store, asked } = database();
  const deps = { store, landing: { resume: async () => 0 }, log: pino({ level: 'silent' }), keepEndedMs: HOUR };
  const chores = [ledgerChore, ledgerCleaningChore];
  const clockAt = (offset: number) => {
    const now = () => Date.now() + offset;
    return { clock: { now }, wallNow: now };
  };
  for (const chore of chores) {
    await assert.rejects(
      chore({ ...deps, ...clockAt(HOUR) })(() => false),
      /(3599|360\d) seconds ahead of/,
    );
  }
  assert.equal(asked.length, 0);
  for (const chore of chores) await chore({ ...deps, ...clockAt(0) })(() => false);
  for (const did of ['from orders', 'delete from ledger']) assert.ok(asked.some((text) => text.includes(did)));
});
