import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createTokenAges } from './token-age.js';

const mint = generateKeypair().address;
const clock = createClock();
const young = () => [{ blockTime: Math.floor(clock.now() / 1_000) - 60 }];
const agesBy = (call: () => Promise<unknown>) =>
  createTokenAges({ rpc: { name: 'scripted', call } as unknown as Rpc, clock, steadyNow });

test('a node that does not answer holds no quote up; what it says later counts then', async () => {
  let answer!: (rows: object[]) => void;
  let asked = 0;
  const isNew = agesBy(() => {
    asked += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  assert.equal(await isNew(mint), false);
  answer(young());
  assert.equal(await isNew(mint), true);
  assert.equal(asked, 1);
});

test('a failure is not kept: the next quote asks again', async () => {
  let asked = 0;
  const isNew = agesBy(async () => {
    asked += 1;
    if (asked === 1) throw new Error('unavailable');
    return young();
  });
  assert.equal(await isNew(mint), false);
  assert.equal(await isNew(mint), true);
  assert.equal(await isNew(mint), true);
  assert.equal(asked, 2);
});
