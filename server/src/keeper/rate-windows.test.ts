import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter } from '../store/limiter.js';
import { openTestStore } from '../store/testing.js';
import { rateWindowsChore } from './rate-windows.js';

test('windows of clients that are gone are deleted, and those in use are kept', async () => {
  const { store, close } = await openTestStore();
  let second = 1_000;
  const steadyNow = () => second * 1000;
  const limiter = createLimiter({ store, tiers: { keyless: { perMinute: 30, executePer10s: 200 } }, steadyNow });
  const call = (client: string) => limiter.take(`keyless ${client}`, 'main', 'keyless');
  const clients = async () => {
    const { rows } = await store.query<{ key: string }>('select key_id as key from rate_windows order by key_id');
    return rows.map(({ key }) => key);
  };
  const tidy = rateWindowsChore({ store, steadyNow });

  await call('203.0.113.1');
  await tidy(() => false);
  assert.deepEqual(await clients(), ['keyless 203.0.113.1']);
  second += 301;
  await call('203.0.113.2');
  await tidy(() => false);
  assert.deepEqual(await clients(), ['keyless 203.0.113.2']);
  assert.equal((await call('203.0.113.2')).current, 2);
  assert.equal((await call('203.0.113.1')).current, 1);
  await close();
});

test('attack: an operator by mistake starts a machine whose clock is hours ahead, with its database: once it is right and the service starts again, no key waits until then', async () => {
  const { store, close } = await openTestStore();
  const copyAt = (second: number) => {
    const steadyNow = () => second * 1000;
    const limiter = createLimiter({ store, tiers: { free: { perMinute: 2, executePer10s: 2 } }, steadyNow });
    return { call: () => limiter.take('key', 'main', 'free'), tidy: rateWindowsChore({ store, steadyNow }) };
  };
  const ahead = copyAt(1_000 + 12 * 3_600);
  assert.deepEqual([(await ahead.call()).allowed, (await ahead.call()).allowed], [true, true]);
  const { call, tidy } = copyAt(1_000);
  assert.equal((await call()).allowed, false);
  await tidy(() => false);
  assert.equal((await call()).allowed, true);
  await close();
});
