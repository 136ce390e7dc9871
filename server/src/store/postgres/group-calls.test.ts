import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../sql.js';
import { groupCalls } from './group-calls.js';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

test('what arrives in one turn or during a call goes together, in order and at most maxGroup at a time', async () => {
  const groups: string[][] = [];
  const write = groupCalls({
    maxGroup: 3,
    async run(items: string[]) {
      groups.push(items);
      await new Promise(setImmediate);
      return items.map((item) => item.toUpperCase());
    },
  });
  const first = Promise.all(NAMES.slice(0, 2).map(write));
  await new Promise(setImmediate);
  const others = Promise.all([...NAMES.slice(2), 'f'].map(write));
  assert.deepEqual([...(await first), ...(await others)], ['A', 'B', 'C', 'D', 'E', 'F']);
  assert.deepEqual(groups, [['a', 'b'], ['c', 'd', 'e'], ['f']]);
});

test('a bad item fails alone', async () => {
  const kept: string[] = [];
  const write = groupCalls({
    maxGroup: 10,
    async run(items: string[]) {
      await new Promise(setImmediate);
      if (items.includes('c')) throw new Error('c is bad');
      kept.push(...items);
      return items;
    },
  });
  const outcomes = await Promise.allSettled(NAMES.map(write));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(kept, ['a', 'b', 'd', 'e']);
  assert.equal(await write('f'), 'f');
});

test('with the store away a group fails as one, and the next one is tried again', async () => {
  let away = true;
  let attempts = 0;
  const write = groupCalls({
    maxGroup: 10,
    async run(items: string[]) {
      attempts += 1;
      await new Promise(setImmediate);
      if (away) throw new StoreUnavailable(new Error('gone'));
      return items;
    },
  });
  const outcomes = await Promise.allSettled(NAMES.map(write));
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'));
  assert.equal(attempts, 1);
  away = false;
  assert.equal(await write('a'), 'a');
});
