import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLimiter } from '../store/limiter.js';
import { openTestStore, passWindows } from '../store/testing.js';
import { rateWindowsChore } from './rate-windows.js';

const tiers = { free: { perMinute: 2, executePer10s: 2 } };

async function open(t: TestContext) {
  const { store, close } = await openTestStore();
  t.after(close);
  return {
    store,
    /** A copy of the service whose steady time is so many seconds ahead. */
    copy(ahead = 0) {
      const steadyNow = () => Date.now() + ahead * 1_000;
      const limiter = createLimiter({ store, tiers, steadyNow });
      const tidy = rateWindowsChore({ store, steadyNow });
      return {
        call: async (key = 'key') => (await limiter.take(key, 'main', 'free')).allowed,
        tidy: () => tidy(() => false),
      };
    },
  };
}

test('windows of clients that are gone are deleted, and those in use are kept', async (t) => {
  const { store, copy } = await open(t);
  const clients = async () => {
    const { rows } = await store.query<{ key: string }>('select key_id as key from rate_windows order by key_id');
    return rows.map(({ key }) => key);
  };
  await copy().call('203.0.113.1');
  await copy().tidy();
  assert.deepEqual(await clients(), ['203.0.113.1']);
  await passWindows(store, 400);
  await copy().call('203.0.113.2');
  await copy().tidy();
  assert.deepEqual(await clients(), ['203.0.113.2']);
});

test('attack: an operator by mistake starts a machine whose clock is hours ahead, with its database: once it is right and the service starts again, no key waits until then', async (t) => {
  const { store, copy } = await open(t);
  const { call, tidy } = copy();
  assert.deepEqual([await call(), await call()], [true, true]);
  await passWindows(store, -12 * 3_600);
  assert.equal(await call(), false);
  await tidy();
  assert.equal(await call(), true);
});

test('attack: a free key finds the copy whose machine was suspended for ten minutes: it counts as the others do, and none of their windows is deleted', async (t) => {
  const { copy } = await open(t);
  const [suspended, other] = [copy(-600), copy()];
  assert.deepEqual([await other.call(), await suspended.call()], [true, true]);
  for (const { tidy } of [suspended, other]) await tidy();
  assert.deepEqual([await suspended.call(), await other.call()], [false, false]);
  assert.deepEqual([await suspended.call('alone'), await suspended.call('alone')], [true, true]);
  for (const { tidy } of [copy(-600), copy()]) await tidy();
  assert.equal(await suspended.call('alone'), false);
});
