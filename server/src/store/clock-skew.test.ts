import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertClock } from './clock-skew.js';
import { openStore } from './postgres/open-store.js';
import type { Store } from './sql.js';
import { PATIENCE, type TestPostgres, usePostgres } from './testing.js';

const HOUR = 3_600_000;

describe('attack: an operator by mistake starts a copy whose clock is an hour ahead, which would expire everybody’s orders an hour early: refused', () => {
  let postgres: TestPostgres;
  let store: Store;
  before(async () => {
    postgres = await usePostgres();
    store = await openStore({ kind: 'postgres', url: await postgres.createDatabase(), patience: PATIENCE });
  });
  after(async () => {
    await store?.close();
    await postgres?.stop();
  });

  for (const [side, offset] of [
    ['ahead of', HOUR],
    ['behind', -HOUR],
  ] as const)
    it(`${side} that of the database`, async () => {
      const began = performance.now();
      const error: Error = await assertClock(store, () => Date.now() + offset).then(
        () => assert.fail('it was taken'),
        (thrown) => thrown,
      );
      const tookSeconds = (performance.now() - began) / 1_000;
      const [, seconds] = new RegExp(`(\\d+) seconds ${side} that of the database.*NTP`).exec(error.message)!;
      // A busy machine takes its time to ask, by which it is less.
      assert.ok(Math.abs(Number(seconds) - HOUR / 1_000) <= tookSeconds + 1, error.message);
    });

  it('a clock that is nearly right is taken, and any one with the embedded database of the same machine', async () => {
    for (const offset of [0, 30_000, -30_000]) await assertClock(store, () => Date.now() + offset);
    await assertClock({ ...store, kind: 'embedded' }, () => 0);
  });
});
