import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertClock } from './clock-skew.js';
import { openStore } from './postgres/open-store.js';
import type { Store } from './sql.js';
import { type TestPostgres, usePostgres } from './testing.js';

const HOUR = 3_600_000;

describe('attack: an operator by mistake starts a copy whose clock is an hour ahead, which would use up everybody’s calls for that hour: refused', () => {
  let postgres: TestPostgres;
  let store: Store;
  before(async () => {
    postgres = await usePostgres();
    store = await openStore({ kind: 'postgres', url: await postgres.createDatabase() });
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
      const now = () => Date.now() + offset;
      await assert.rejects(
        assertClock(store, now),
        new RegExp(`(3599|360\\d) seconds ${side} that of the database.*NTP`),
      );
    });

  it('a clock that is nearly right is taken, and any one with the embedded database of the same machine', async () => {
    for (const offset of [0, 30_000, -30_000]) await assertClock(store, () => Date.now() + offset);
    await assertClock({ ...store, kind: 'embedded' }, () => 0);
  });
});
