import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.js';

/** Items whose names begin with those of their groups: `key/wallet/number`. */
function queueOf(items: readonly string[], mostOfWallet?: number): FairQueue<string> {
  const queue = new FairQueue<string>(mostOfWallet);
  for (const item of items) queue.add(item, item, groupsOf(item));
  return queue;
}

const groupsOf = (item: string) => item.split('/').slice(0, -1);
const some = (group: string, count: number) => Array.from({ length: count }, (_, n) => `${group}/${n}`);
const wallets = (key: string, count: number) => Array.from({ length: count }, (_, n) => `${key}/wallet ${n}/0`);

/** What is taken while nothing ends. */
function takeAll(
  queue: FairQueue<string>,
  most = Number.POSITIVE_INFINITY,
  places = Number.POSITIVE_INFINITY,
): string[] {
  const taken: string[] = [];
  while (taken.length < most) {
    const item = queue.take(places - taken.length);
    if (item === undefined) break;
    taken.push(item);
  }
  return taken;
}

const countOf = (taken: readonly string[], key: string) => taken.filter((item) => item.startsWith(`${key}/`)).length;

describe('attack: a wallet fires a thousand orders at once', () => {
  it('every other wallet has its first one begun after at most one of them', () => {
    const queue = queueOf([...some('a', 1_000), 'b/0', 'b/1', 'c/0']);
    assert.deepEqual(takeAll(queue, 7), ['a/0', 'b/0', 'c/0', 'a/1', 'b/1', 'a/2', 'a/3']);
    assert.equal(queue.size, 996);
  });

  it('and whoever comes while its orders fill all places has the next place', () => {
    const queue = queueOf(some('a', 20));
    takeAll(queue, 16);
    queue.add('b/0', 'b/0', ['b']);
    assert.equal(queue.take(1_000), 'b/0');
  });

  it('and has no more under way than one wallet may, where its key may have more', () => {
    const queue = queueOf([...some('key/a', 1_000), ...some('key/b', 2)], 16);
    const taken = takeAll(queue);
    assert.deepEqual([countOf(taken, 'key/a'), countOf(taken, 'key/b')], [16, 2]);
    queue.ended('key/a/3');
    assert.equal(queue.take(1_000), 'key/a/16');
  });
});

describe('attack: a free key fires the orders of 2,000 wallets before a stop of somebody else', () => {
  it('the stop is begun after at most one more of them', () => {
    const queue = queueOf(wallets('free', 2_000));
    takeAll(queue, 16);
    queue.add('other/wallet/0', 'other/wallet/0', ['other', 'wallet']);
    queue.ended('free/wallet 0/0');
    assert.equal(queue.take(1_000), 'other/wallet/0');
  });

  it('and of ten stops of others, in the same turn, each after as many as there are keys', () => {
    const others = Array.from({ length: 10 }, (_, n) => `other ${n}/wallet/0`);
    const taken = takeAll(queueOf([...wallets('free', 2_000), ...others]), 11);
    assert.deepEqual(taken, ['free/wallet 0/0', ...others]);
  });

  it('and with thirty keys, a client has one turn in 31, and not one in 60,000', () => {
    const keys = Array.from({ length: 30 }, (_, n) => `free ${n}`);
    const queue = queueOf([...keys.flatMap((key) => wallets(key, 2_000)), ...wallets('other', 10)]);
    const taken = takeAll(queue, 310);
    assert.equal(countOf(taken, 'other'), 10);
  });
});

describe('attack: a free key has fills of ever more wallets that are sent and never land', () => {
  it('half of what may be under way is left to others, whatever it has waiting', () => {
    const queue = queueOf(wallets('free', 2_000));
    const taken = takeAll(queue, undefined, 256);
    assert.ok(taken.length <= 128, `${taken.length}`);
    for (const item of wallets('other', 20)) queue.add(item, item, groupsOf(item));
    const after: string[] = [];
    for (let item = queue.take(256 - taken.length); item !== undefined; ) {
      after.push(item);
      queue.ended(item);
      item = queue.take(256 - taken.length);
    }
    assert.deepEqual([countOf(after, 'other'), after.length], [20, 20]);
  });

  it('and fifteen such keys leave as much as one of them has', () => {
    const keys = Array.from({ length: 15 }, (_, n) => `free ${n}`);
    const queue = queueOf(keys.flatMap((key) => wallets(key, 2_000)));
    const taken = takeAll(queue, undefined, 256);
    const most = Math.max(...keys.map((key) => countOf(taken, key)));
    const left = 256 - taken.length;
    assert.ok(left >= most && left >= 10, `${most} of one key, and ${left} are left`);
    queue.add('other/wallet/0', 'other/wallet/0', ['other', 'wallet']);
    assert.equal(queue.take(left), 'other/wallet/0');
  });

  it('and the others of the same page have what its address leaves, as its key has', () => {
    const queue = queueOf(wallets('page/address 0', 2_000));
    const taken = takeAll(queue, undefined, 256);
    queue.add('page/address 1/wallet/0', 'page/address 1/wallet/0', ['page', 'address 1', 'wallet']);
    assert.equal(queue.take(256 - taken.length), 'page/address 1/wallet/0');
  });
});

it('takes no more than there is room for', () => {
  const queue = queueOf(['a/0', 'b/0', 'c/0']);
  assert.equal(queue.take(0), undefined);
  assert.deepEqual(takeAll(queue, undefined, 2), ['a/0', 'b/0']);
});

it('keeps the place of what is added again, and forgets what is removed', () => {
  const queue = queueOf(['a/0', 'a/1', 'b/0']);
  queue.add('a/0', 'a/0', ['a']);
  queue.delete('b/0');
  queue.delete('b/9');
  assert.deepEqual([queue.has('a/0'), queue.has('b/0'), queue.size], [true, false, 2]);
  assert.deepEqual(takeAll(queue), ['a/0', 'a/1']);
  assert.equal(queue.size, 0);
  for (const item of ['a/0', 'a/1', 'b/9']) queue.ended(item);
  assert.deepEqual(takeAll(queue), []);
});

it('moves what is added again to another group', () => {
  const queue = queueOf(['a/0', 'a/1', 'b/0']);
  queue.add('a/0', 'a/0', ['b']);
  assert.deepEqual(takeAll(queue), ['a/1', 'b/0', 'a/0']);
});
