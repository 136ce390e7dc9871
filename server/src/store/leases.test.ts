import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdLease, releaseLease } from './leases.js';
import type { Store } from './sql.js';
import { endLeases, openTestStore } from './testing.js';

const MINUTE = 60_000;

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: one holder at a time has a lease, until it gives it back or its time is over`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const hold = (name: string, holder: string) => store.transaction((tx) => holdLease(tx, { name, holder }, MINUTE));
    const take = (holder: string) => hold('n', holder);
    const release = (holder: string) => store.transaction((tx) => releaseLease(tx, { name: 'n', holder }));
    const racers = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(holder)));
    assert.equal(racers.filter((got) => got).length, 1);
    const winner = 'abcd'[racers.indexOf(true)]!;
    assert.equal(await take('e'), false);
    assert.ok(await hold('another', 'e'));
    await release('e');
    assert.equal(await take('e'), false, 'nobody gives back what another one has');
    await release(winner);
    assert.ok(await take('e'));
    assert.ok(await take('e'), 'who has it may go on');
    assert.equal(await take('f'), false);
    await endLeases(store);
    assert.ok(await take('f'), 'its time was over');
    await release('e');
    assert.equal(await take('g'), false);
  });

  test(`${kind}: one that ends later than any that is taken now is none`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const hold = (holder: string) => store.transaction((tx) => holdLease(tx, { name: 'n', holder }, MINUTE));
    const ahead = (minutes: number) =>
      store.query(
        `update settings set value = jsonb_build_object('holder', 'it', 'until',
           floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $1::bigint) where key = 'lease.n'`,
        [MINUTE * minutes],
      );
    assert.ok(await hold('it'));
    // Of a copy of an earlier version, whose clock may be ahead a little.
    await ahead(1.9);
    assert.equal(await hold('other'), false);
    await ahead(60);
    assert.ok(await hold('other'));
  });
}
