import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store, Tx } from './sql.js';
import { openTestStore } from './testing.js';
import {
  type Delivery,
  deleteFailed,
  failedDeliveries,
  MOST_GIVEN_UP,
  putDeliveries,
  recordFailure,
  takeDueWebhooks,
} from './webhook-deliveries.js';

const AT = new Date('2026-01-01T00:00:00Z');

const deliveries = (from: number, to: number): Delivery[] =>
  Array.from({ length: to - from + 1 }, (_, n) => {
    return { number: BigInt(from + n), kind: 'order.filled', at: AT, body: '{}', tries: 1 };
  });

async function addWebhooks(store: Store): Promise<void> {
  await store.query(
    `insert into webhooks (id, account, url_sealed, secrets_sealed, created_at, last)
     select id, 'key:k', '', '', $1, 0 from unnest('{one,other}'::text[]) as id`,
    [AT],
  );
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(kind, () => {
    it('attack: a free key has ever more events given up by its webhooks: the newest 1,000 of each are kept', async (t) => {
      const { store, close } = await openTestStore(kind);
      t.after(close);
      await addWebhooks(store);
      await store.transaction((tx) => putDeliveries(tx, 'other', deliveries(1, 3), null));
      // What is still to be tried is none of them.
      await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(1, 2), AT));
      for (const from of [3, 703]) {
        await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(from, from + 699), null));
      }
      const kept = await failedDeliveries(store, 'one', 5_000);
      assert.deepEqual(
        [kept.length, kept[0]!.number, kept.at(-1)!.number],
        [MOST_GIVEN_UP, 1_402n, 1_402n - BigInt(MOST_GIVEN_UP) + 1n],
      );
      assert.equal((await failedDeliveries(store, 'other', 5_000)).length, 3);
      const { rows } = await store.query<{ count: bigint }>(
        `select count(*) as count from webhook_deliveries where webhook_id = 'one' and due_at is not null`,
      );
      assert.equal(rows[0]!.count, 2n);
    });

    it('attack: a free key has ever more events wait for its webhooks until they are given up all at once: the newest 1,000 are kept', async (t) => {
      const { store, close } = await openTestStore(kind);
      t.after(close);
      await addWebhooks(store);
      await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(1, 1_500), AT));
      await store.transaction((tx) =>
        takeDueWebhooks(tx, { holder: 'copy', now: AT }, { inAll: 1, ofKey: 1, underWay: new Map() }),
      );
      const failed = deliveries(1_501, 1_501);
      const soon = new Date(AT.getTime() + 1);
      const later = { dueAt: soon, failures: 1, restUntil: soon, lostBefore: AT };
      await store.transaction((tx) =>
        recordFailure(tx, 'one', 'copy', { deliveries: failed, last: failed[0]!.number, ...later }),
      );
      const { rows } = await store.query<{ count: bigint; oldest: bigint }>(
        'select count(*) as count, min(number) as oldest from webhook_deliveries where due_at is null',
      );
      assert.deepEqual(rows, [{ count: BigInt(MOST_GIVEN_UP), oldest: 1_502n - BigInt(MOST_GIVEN_UP) }]);
    });

    it('attack: a free key has ever more events wait for its webhooks: a failure reads none that are not too old', async (t) => {
      const { store, close } = await openTestStore(kind);
      t.after(close);
      await addWebhooks(store);
      await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(1, 5_000), AT));
      await store.query('analyze webhook_deliveries');
      const turn = { holder: 'copy', now: AT };
      await store.transaction((tx) => takeDueWebhooks(tx, turn, { inAll: 1, ofKey: 1, underWay: new Map() }));
      const later = { dueAt: AT, failures: 1, restUntil: AT, lostBefore: new Date(AT.getTime() - 1) };
      let plan = '';
      await store.transaction(async (tx) => {
        const explaining: Tx = {
          ...tx,
          async query<Row>(text: string, params: unknown[] = []) {
            if (!text.includes('set due_at = null')) return tx.query<Row>(text, params);
            const { rows } = await tx.query<Record<string, string>>(`explain (analyze, timing off) ${text}`, params);
            plan = rows.map((row) => Object.values(row)[0]).join('\n');
            return { rows: [], rowCount: 0 };
          },
        };
        await recordFailure(explaining, 'one', 'copy', {
          deliveries: deliveries(5_001, 5_001),
          last: 5_001n,
          ...later,
        });
      });
      assert.match(plan, /Index Cond: .*\bat <= /);
      assert.doesNotMatch(plan, /Rows Removed by Filter/);
    });

    it('forgets what was given up long ago some at a time', async (t) => {
      const { store, close } = await openTestStore(kind);
      t.after(close);
      await addWebhooks(store);
      await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(1, 7), null));
      await store.transaction((tx) => putDeliveries(tx, 'one', deliveries(8, 9), AT));
      const forget = (before: number) => store.single((tx) => deleteFailed(tx, new Date(before), 5));
      assert.equal(await forget(AT.getTime()), 0);
      assert.deepEqual([await forget(AT.getTime() + 1), await forget(AT.getTime() + 1)], [5, 2]);
      assert.equal((await store.query('select from webhook_deliveries')).rowCount, 2);
    });
  });
}
