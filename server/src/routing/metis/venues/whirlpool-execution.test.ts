import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '@slipway/programs/testing';
import { assertKept, Lab, missingPrograms, sized } from './testing/lab.js';
import { randomWhirlpool } from './testing/whirlpool-pools.js';
import { IMMUTABLE_WHIRLPOOL_PROGRAM as PROGRAM, whirlpoolVenue } from './whirlpool/index.js';

const skip = missingPrograms(PROGRAM);
const SEED = Number(process.env.SEED ?? 20_261);
const POOLS = Number(process.env.POOLS ?? 250);
const TRADES = 3;
const NOW = 1_800_000_000n;

test('the program does what was quoted, on pools of any shape', { skip }, () => {
  const lab = new Lab(PROGRAM);
  const venue = whirlpoolVenue(PROGRAM);
  const random = randomNumbers(SEED);
  let [executed, refused] = [0, 0];
  const reasons = new Map<string, number>();
  for (let i = 0; i < POOLS; i++) {
    const pool = randomWhirlpool(lab, PROGRAM, random, NOW);
    for (let j = 0; j < TRADES; j++) {
      const from = random(2) === 0 ? 0 : 1;
      const amount = sized(random, 60);
      const tried = lab.try(venue, pool, from, amount);
      const what = `seed ${SEED}, pool ${i}, trade ${j}, ${amount} from side ${from}`;
      if (tried.done && tried.done.received === 0n) {
        assert.equal(tried.quoted, undefined, what);
        continue;
      }
      assertKept(tried, what);
      if (tried.done) executed += 1;
      else {
        refused += 1;
        const r = tried.outcome!.failure!.reason;
        reasons.set(r, (reasons.get(r) ?? 0) + 1);
      }
    }
  }
  console.log(executed, refused, reasons);
});
