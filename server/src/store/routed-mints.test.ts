import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RoutedMints, routedMints, storeRoutedMints } from './routed-mints.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

const NEVER = new Date(0);
const row = (mints: string, at: number, pools = [`pool of ${mints}`]): RoutedMints => ({
  mints,
  pools,
  askedAt: new Date(at),
});

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: what swaps were asked for is remembered by its latest use, and forgotten when that is long ago`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const save = (rows: RoutedMints[], before = NEVER) => store.single((tx) => storeRoutedMints(tx, rows, before));
    await save([row('a b', 1_000), row('c', 3_000), row('d', 2_000, [])]);
    assert.deepEqual(await routedMints(store, NEVER, 2), [row('c', 3_000), row('d', 2_000, [])]);
    assert.deepEqual(await routedMints(store, new Date(3_000), 9), [row('c', 3_000)]);
    // An instance that was asked earlier, and has found more.
    await save([row('c', 500, ['x', 'y'])]);
    assert.deepEqual(await routedMints(store, NEVER, 1), [row('c', 3_000, ['x', 'y'])]);
    await save([row('e', 4_000), row('f', 1_999)], new Date(2_000));
    assert.deepEqual(
      (await routedMints(store, NEVER, 9)).map(({ mints }) => mints),
      ['e', 'c', 'd'],
    );
    // Instances that store the same at the same time.
    const many = Array.from({ length: 50 }, (_, index) => row(`m${index}`, 5_000 + index));
    await Promise.all([save(many), save(many.toReversed()), save(many), save(many.toReversed())]);
    assert.equal((await routedMints(store, new Date(5_000), 100)).length, 50);
  });
}
