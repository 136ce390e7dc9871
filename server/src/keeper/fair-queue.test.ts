import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.js';

function queueOf(items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item, item, item[0]!);
  return queue;
}

/** All that is taken while nothing ends. */
function takeAll(queue: FairQueue<string>, most = Number.POSITIVE_INFINITY): string[] {
  const underWay = new Map<string, number>();
  const taken: string[] = [];
  while (taken.length < most) {
    const item = queue.take((owner) => underWay.get(owner) ?? 0);
    if (item === undefined) break;
    underWay.set(item[0]!, (underWay.get(item[0]!) ?? 0) + 1);
    taken.push(item);
  }
  return taken;
}

describe('attack: a wallet fires a thousand orders at once', () => {
  it('every other wallet has its first one begun after at most one of them', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `a${n}`);
    const queue = queueOf([...many, 'b0', 'b1', 'c0']);
    assert.deepEqual(takeAll(queue, 7), ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']);
    assert.equal(queue.size, 996);
  });

  it('and whoever comes while its orders fill all places has the next place', () => {
    const queue = queueOf(Array.from({ length: 20 }, (_, n) => `a${n}`));
    takeAll(queue, 16);
    queue.add('b0', 'b0', 'b');
    assert.equal(
      queue.take((owner) => (owner === 'a' ? 16 : 0)),
      'b0',
    );
  });
});

it('keeps the place of what is added again, and forgets what is removed', () => {
  const queue = queueOf(['a0', 'a1', 'b0']);
  queue.add('a0', 'a0', 'a');
  queue.delete('b0');
  queue.delete('b9');
  assert.deepEqual([queue.has('a0'), queue.has('b0'), queue.size], [true, false, 2]);
  assert.deepEqual(takeAll(queue), ['a0', 'a1']);
  assert.equal(queue.size, 0);
});
