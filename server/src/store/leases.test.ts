import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdLease, releaseLease } from './leases.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: one holder at a time has a lease, until it gives it back or its time is over`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const hold = (name: string, holder: string, now: number) =>
      store.transaction((tx) => holdLease(tx, { name, holder }, now, now + 1_000));
    const take = (holder: string, now: number) => hold('n', holder, now);
    const release = (holder: string) => store.transaction((tx) => releaseLease(tx, { name: 'n', holder }));
    const racers = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(holder, 5_000)));
    assert.equal(racers.filter((got) => got).length, 1);
    const winner = 'abcd'[racers.indexOf(true)]!;
    assert.equal(await take('e', 5_999), false);
    assert.ok(await hold('another', 'e', 5_000));
    await release('e');
    assert.equal(await take('e', 5_999), false, 'nobody gives back what another one has');
    await release(winner);
    assert.ok(await take('e', 5_999));
    assert.ok(await take('e', 5_999), 'who has it may go on');
    assert.equal(await take('f', 6_998), false);
    assert.ok(await take('f', 6_999), 'its time was over');
    await release('e');
    assert.equal(await take('g', 7_000), false);
  });
}
