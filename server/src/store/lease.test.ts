import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseLease, takeLease } from './lease.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: one holder at a time has a lease, until it gives it back or its time is over`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const take = (holder: string, now: number) => takeLease(store, { name: 'n', holder, now, until: now + 1_000 });
    const racers = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(holder, 5_000)));
    assert.equal(racers.filter((got) => got).length, 1);
    const winner = 'abcd'[racers.indexOf(true)]!;
    assert.equal(await take('e', 5_999), false);
    assert.ok(await takeLease(store, { name: 'another', holder: 'e', now: 5_000, until: 6_000 }));
    await releaseLease(store, { name: 'n', holder: 'e' });
    assert.equal(await take('e', 5_999), false, 'nobody gives back what another one has');
    await releaseLease(store, { name: 'n', holder: winner });
    assert.ok(await take('e', 5_999));
    assert.equal(await take('f', 6_998), false);
    assert.ok(await take('f', 6_999), 'its time was over');
    await releaseLease(store, { name: 'n', holder: 'e' });
    assert.equal(await take('g', 7_000), false);
  });
}
