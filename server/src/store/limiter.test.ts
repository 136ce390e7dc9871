import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLimiter } from './limiter.js';
import type { Store } from './sql.js';
import { openTestStore, passWindows } from './testing.js';

const tiers = { free: { perMinute: 60, executePer10s: 500 } };

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the limiter on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    test('counts down, refuses at the limit, and lets through again when the oldest call has left the window', async () => {
      const limiter = createLimiter({ store, tiers, steadyNow: () => 0 });
      const take = () => limiter.take('key', 'main', 'free');
      const { resetUnixSeconds, ...first } = await take();
      assert.deepEqual(first, {
        allowed: true,
        remaining: 59,
        current: 1,
        retrySeconds: 60,
        limit: 60,
        windowSeconds: 60,
      });
      await passWindows(store, 30);
      const burst = await Promise.all(Array.from({ length: 70 }, take));
      assert.deepEqual(
        burst.map((decision) => [decision.allowed, decision.remaining, decision.current]),
        Array.from({ length: 70 }, (_, index) => [index < 59, Math.max(58 - index, 0), Math.min(index + 2, 60)]),
      );
      await passWindows(store, 20);
      const refused = await take();
      assert.deepEqual([refused.allowed, refused.remaining, refused.current], [false, 0, 60]);
      assert.equal(refused.resetUnixSeconds, resetUnixSeconds - 50);
      assert.ok(refused.retrySeconds >= 1 && refused.retrySeconds <= 10, `${refused.retrySeconds} seconds`);
      await passWindows(store, 10);
      const last = await take();
      assert.deepEqual([last.allowed, last.remaining, last.current], [true, 0, 60]);
      assert.ok(last.resetUnixSeconds > resetUnixSeconds - 60, 'that of the next calls');
      assert.ok(last.retrySeconds >= 1 && last.retrySeconds <= 40, `${last.retrySeconds} seconds`);
    });

    test('a call that costs more counts as more, and one that does not fit takes what is left', async () => {
      const limiter = createLimiter({ store, tiers, steadyNow: () => 0 });
      const weights = [1, 20, 30, 20, 1];
      const decisions = await Promise.all(weights.map((weight) => limiter.take('heavy', 'main', 'free', weight)));
      assert.deepEqual(
        decisions.map(({ allowed, current }) => [allowed, current]),
        [
          [true, 1],
          [true, 21],
          [true, 51],
          [false, 60],
          [false, 60],
        ],
      );
      const unlimited = await limiter.take('heavy', 'main', 'unlimited', 7);
      assert.deepEqual([unlimited.allowed, unlimited.current], [true, 7]);
    });

    test('keeps landing open when the other paths are throttled, and keys apart', async () => {
      const limiter = createLimiter({ store, tiers, steadyNow: () => 0 });
      await Promise.all(Array.from({ length: 60 }, () => limiter.take('a', 'main', 'free')));
      assert.equal((await limiter.take('a', 'main', 'free')).allowed, false);
      assert.equal((await limiter.take('b', 'main', 'free')).allowed, true);
      const { resetUnixSeconds, ...landing } = await limiter.take('a', 'execute', 'free');
      assert.deepEqual(landing, {
        allowed: true,
        remaining: 499,
        current: 1,
        retrySeconds: 10,
        limit: 500,
        windowSeconds: 10,
      });
    });

    test('counts the unlimited tier without ever refusing, and refuses a tier that is not configured', async () => {
      let second = 100;
      const limiter = createLimiter({ store, tiers, steadyNow: () => second * 1000 });
      const decisions = await Promise.all(
        Array.from({ length: 1000 }, () => limiter.take('sandbox', 'main', 'unlimited')),
      );
      assert.ok(decisions.every((decision) => decision.allowed));
      assert.deepEqual(decisions.at(-1), {
        allowed: true,
        remaining: 2_147_483_647 - 1000,
        current: 1000,
        resetUnixSeconds: 160,
        retrySeconds: 60,
        limit: 2_147_483_647,
        windowSeconds: 60,
      });
      second = 160;
      assert.equal((await limiter.take('sandbox', 'main', 'unlimited')).current, 1);
      await assert.rejects(async () => limiter.take('key', 'main', 'gone'), /gone is not configured/);
    });
  });
}
