import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../store/sql.js';
import { eventCleaningChore } from './cleaning.js';

const HOUR_MS = 3_600_000;

test('attack: an operator by mistake lets the clock of a machine jump an hour ahead: the webhooks of a key that is being replaced stay, and all events', async () => {
  const asked: [text: string, before: number][] = [];
  const other = async (text: string, values?: unknown[]) => {
    asked.push([text, Number(values?.[1])]);
    return { rows: [], rowCount: 0 };
  };
  const work = (run: (tx: unknown) => Promise<unknown>) => run({ query: other });
  const query = (text: string, values?: unknown[]) =>
    text.includes('clock_timestamp') ? { rows: [{ time: String(Date.now() / 1_000) }] } : other(text, values);
  const store = { kind: 'postgres', query, transaction: work, single: work } as unknown as Store;
  const cleanAt = (offset: number) => {
    const now = () => Date.now() + offset;
    return eventCleaningChore({ store, agreedNow: async () => now(), keepMs: HOUR_MS, wallNow: now })(() => false);
  };
  await assert.rejects(cleanAt(HOUR_MS), /seconds ahead of/);
  // Those of revoked keys go all the same.
  assert.deepEqual(
    asked.map(([, before]) => before),
    [0, 0],
  );
  await cleanAt(0);
  assert.ok(asked.some(([text, before]) => text.includes('from webhooks') && before !== 0));
});
