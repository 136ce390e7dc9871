import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentNames } from './recent-names.js';

test('as many of the last names as it was asked to are known, and never more than twice as many', () => {
  const names = new RecentNames(10);
  const all = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  for (const [index, name] of all.entries()) {
    assert.equal(names.has(name), false);
    names.add(name);
    const known = all.slice(0, index + 1).filter((each) => names.has(each));
    assert.ok(known.length >= Math.min(index + 1, 10) && known.length <= 20, `${known.length}`);
    assert.deepEqual(known, all.slice(index + 1 - known.length, index + 1));
  }
});

test('a name that is added again is one', () => {
  const names = new RecentNames(2);
  for (const name of ['a', 'b', 'b', 'a', 'b']) names.add(name);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => names.has(name)),
    [true, true, false],
  );
});
