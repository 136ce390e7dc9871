import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Store } from './sql.js';
import { StoreUnavailable } from './sql.js';
import { createStops, endStop, listStops, putStop, Stopped } from './stops.js';
import { openAnyStore } from './testing.js';

let store: Store;
before(async () => {
  store = await openAnyStore();
});
after(() => store?.close());

const at = new Date('2026-01-01T00:00:00Z');
const stop = (what: 'fills' | 'crafts' | 'all', why = 'a test') =>
  store.transaction((tx) => putStop(tx, { what, why, stoppedBy: 'root', stoppedAt: at }));
const resume = (what: 'fills' | 'crafts' | 'all') => store.transaction((tx) => endStop(tx, what));

test('each stop stops what it names, and all stops everything', async () => {
  let now = 0;
  const stops = createStops({ store, steadyNow: () => now });
  const stopped = async () => {
    now += 1_000;
    const deeds = ['fills', 'crafts', 'posts'] as const;
    const judged = await Promise.all(
      deeds.map((deed) =>
        stops.require(deed).then(
          () => undefined,
          (error: unknown) => {
            assert.ok(error instanceof Stopped);
            return deed;
          },
        ),
      ),
    );
    return judged.filter((deed) => deed !== undefined);
  };
  assert.deepEqual(await stopped(), []);
  await stop('fills');
  assert.deepEqual(await stopped(), ['fills']);
  await stop('crafts');
  assert.deepEqual(await stopped(), ['fills', 'crafts']);
  await stop('all');
  assert.deepEqual(await stopped(), ['fills', 'crafts', 'posts']);
  assert.equal(await resume('fills'), true);
  assert.equal(await resume('fills'), false);
  assert.deepEqual(await stopped(), ['fills', 'crafts', 'posts']);
  await resume('all');
  assert.deepEqual(await stopped(), ['crafts']);
  await stop('crafts', 'another reason');
  assert.deepEqual(await listStops(store), [
    { what: 'crafts', why: 'another reason', stoppedBy: 'root', stoppedAt: at },
  ]);
  await resume('crafts');
});

test('while the database is away, nothing may be done, also what was not stopped a moment ago', async () => {
  let now = 0;
  let isAway = false;
  const stops = createStops({
    store: {
      query: (text, params) => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.query(text, params)),
    },
    steadyNow: () => now,
  });
  await stops.require('fills');
  isAway = true;
  now += 1_000;
  for (const deed of ['fills', 'crafts', 'posts'] as const) {
    await assert.rejects(stops.require(deed), StoreUnavailable);
  }
  isAway = false;
  await stops.require('fills');
});

test('who ends the stop that he was shown does not end the one that was put in its place since', async () => {
  const put = (stoppedAt: Date) =>
    store.transaction((tx) => putStop(tx, { what: 'fills', why: 'a test', stoppedBy: 'root', stoppedAt }));
  const end = (stoppedAt: Date) => store.transaction((tx) => endStop(tx, 'fills', stoppedAt));
  const since = new Date(at.getTime() + 1);
  await put(at);
  await put(since);
  assert.deepEqual([await end(at), (await listStops(store)).length], [false, 1]);
  assert.deepEqual([await end(since), await listStops(store)], [true, []]);
});
