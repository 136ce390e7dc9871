import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroups, MOST_AT_ONCE, MOST_OF_KEY, SendsAtOnce } from './sends-at-once.js';

test('attack: a free key has slow receivers for webhooks that are behind: others have their part of what is sent besides', () => {
  const sends = new SendsAtOnce(() => 0);
  sends.countTurn('attacker', 1);
  let ofAttacker = 0;
  for (let n = 0; n < 20; n++) ofAttacker += sends.takeFurther('attacker', 7);
  assert.equal(ofAttacker, MOST_OF_KEY);
  sends.countTurn('accomplice', 1);
  assert.equal(sends.takeFurther('accomplice', 1_000), MOST_AT_ONCE - MOST_OF_KEY);
  sends.countTurn('other', 1);
  assert.equal(sends.takeFurther('other', 7), 0, 'no more than there are');
  sends.giveBack('attacker', 20);
  assert.equal(sends.takeFurther('attacker', 7), 3, 'a third');
  assert.equal(sends.takeFurther('other', 7), 7);
  sends.giveBack('accomplice', 50);
  sends.countTurn('accomplice', -1);
  assert.equal(sends.takeFurther('other', 1_000), MOST_OF_KEY - 7);
});

test('attack: a free key and 199 others have turns: nobody sends more than one event at a time', () => {
  const sends = new SendsAtOnce(() => 0);
  for (let n = 0; n < 200; n++) sends.countTurn(`${n}`, 1);
  assert.equal(sends.takeFurther('0', 7), 0);
});

/** How many are sent at a time, where a group takes so long. */
async function sizesOf(tookMs: (count: number) => number, most = 50): Promise<number[]> {
  let now = 0;
  const sends = new SendsAtOnce(() => 0);
  sends.countTurn('key', 1);
  const inGroups = createGroups(sends, () => now, { id: 'webhook', addedBy: 'key' });
  const sizes: number[] = [];
  for (let n = 0; n < 8; n++) {
    await inGroups(most, async (count) => {
      sizes.push(count);
      now += tookMs(count);
    });
  }
  return sizes;
}

test('ever more are sent together, as long as they are answered soon', async () => {
  assert.deepEqual(await sizesOf(() => 80), [1, 2, 4, 8, 8, 8, 8, 8]);
  assert.deepEqual(await sizesOf(() => 9_000), Array(8).fill(1));
  assert.deepEqual(await sizesOf(() => 80, 3), [1, 2, 3, 3, 3, 3, 3, 3]);
  assert.deepEqual(await sizesOf(() => 80, 1), Array(8).fill(1));
});

test('a receiver that takes one after the other has not more together than it can answer in time', async () => {
  for (const ms of [10, 300, 499, 600, 900, 1_500, 1_999, 5_000, 9_000]) {
    const sizes = await sizesOf((count) => count * ms);
    for (const size of sizes) assert.ok(size === 1 || size * ms < 4_000, `${ms} ms: ${sizes}`);
  }
});

test('what a group has taken is given back, also where it is not written down', async () => {
  const sends = new SendsAtOnce(() => 0);
  sends.countTurn('key', 1);
  const inGroups = createGroups(sends, () => 0, { id: 'webhook', addedBy: 'key' });
  for (let n = 0; n < 20; n++)
    await assert.rejects(inGroups(8, () => Promise.reject(new Error('the database is away'))));
  assert.equal(sends.takeFurther('key', 1_000), MOST_OF_KEY);
});

test('a receiver that refuses some of a group has half as many for twice as long each time, once it takes any, until it takes as many', () => {
  let now = 0;
  const sends = new SendsAtOnce(() => now);
  assert.equal(sends.mostFor('webhook'), 8);
  for (const seconds of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
    sends.refused('webhook', 8);
    // It may be away for any time.
    now += 3_600_000;
    assert.equal(sends.mostFor('webhook'), 4);
    for (const count of [1, 4]) sends.took('webhook', count);
    now += seconds * 1_000 - 1;
    assert.equal(sends.mostFor('webhook'), 4, `${seconds} s`);
    now += 1;
    assert.equal(sends.mostFor('webhook'), 8);
  }
  sends.refused('webhook', 4);
  assert.equal(sends.mostFor('webhook'), 2);
  sends.took('webhook', 1);
  now += 5_000;
  assert.equal(sends.mostFor('webhook'), 4);
  sends.refused('webhook', 2);
  assert.equal(sends.mostFor('webhook'), 1);
  assert.equal(sends.mostFor('other'), 8);
  sends.took('webhook', 2);
  assert.equal(sends.mostFor('webhook'), 8);
});
