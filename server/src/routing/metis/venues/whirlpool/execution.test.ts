import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, missingPrograms, tryAll } from '../testing/lab.js';
import { randomWhirlpool } from '../testing/whirlpool-pools.js';
import { IMMUTABLE_WHIRLPOOL_PROGRAM as PROGRAM, whirlpoolVenue } from './index.js';

const skip = missingPrograms(PROGRAM);
const NOW = 1_800_000_000n;
const SEED = Number(process.env.SEED ?? 20_261);
const POOLS = Number(process.env.POOLS ?? 250);

test('the program does what was quoted, on pools of any shape', { skip }, (t) => {
  const lab = new Lab(PROGRAM);
  const makePool = (random: Parameters<typeof randomWhirlpool>[2]) => randomWhirlpool(lab, PROGRAM, random, NOW);
  const trials = tryAll(lab, whirlpoolVenue(PROGRAM), { pools: POOLS, trades: 3, seed: SEED, makePool });
  t.diagnostic(JSON.stringify(trials));
  assert.ok(trials.done > POOLS, JSON.stringify(trials));
});
