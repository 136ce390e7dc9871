import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createTokenAges } from './token-age.js';

const mint = generateKeypair().address;
const clock = createClock();
const young = () => [{ blockTime: Math.floor(clock.now() / 1_000) - 60 }];
const old = () => [{ blockTime: Math.floor(clock.now() / 1_000) - 2 * 86_400 }];
function agesBy(call: () => Promise<unknown>, now = steadyNow) {
  const isNew = createTokenAges({ clock, steadyNow: now });
  return (mint: Address) => isNew({ name: 'scripted', call } as unknown as Rpc, mint);
}

test('a node that does not answer holds no quote up; what it says later counts then', async () => {
  let answer!: (rows: object[]) => void;
  let [asked, now] = [0, 0];
  const isNew = agesBy(
    () => {
      asked += 1;
      return asked === 1
        ? Promise.resolve(young())
        : new Promise((resolve) => {
            answer = resolve;
          });
    },
    () => now,
  );
  assert.equal(await isNew(mint), false);
  now += 10_000;
  assert.equal(await isNew(mint), false);
  answer(young());
  assert.equal(await isNew(mint), true);
  assert.equal(asked, 2);
});

test('attack: a node says once that a token is young, whose swaps pay a higher fee then: it is one where the node says so again, ten seconds later', async () => {
  let [rows, asked, now] = [young(), 0, 0];
  const isNew = agesBy(
    async () => {
      asked += 1;
      return rows;
    },
    () => now,
  );
  const after = (ms: number) => {
    now += ms;
    return isNew(mint);
  };
  assert.deepEqual([await after(0), await after(9_999), asked], [false, false, 1]);
  rows = old();
  assert.deepEqual([await after(1), asked], [false, 2]);
  // The truth is kept for ten minutes; then it is told once more, and twice.
  rows = young();
  assert.deepEqual([await after(599_999), asked], [false, 2]);
  assert.deepEqual([await after(1), await after(10_000), asked], [false, true, 4]);
  assert.deepEqual([await after(599_999), await after(1), asked], [true, true, 5]);
});

test('a failure is not kept: the next quote asks again', async () => {
  let asked = 0;
  let now = 0;
  const isNew = agesBy(
    async () => {
      asked += 1;
      if (asked === 1) throw new Error('unavailable');
      return young();
    },
    () => now,
  );
  assert.equal(await isNew(mint), false);
  assert.equal(await isNew(mint), false);
  now += 10_000;
  assert.equal(await isNew(mint), true);
  assert.equal(await isNew(mint), true);
  assert.equal(asked, 3);
});
