import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Random } from '@slipway/programs/testing';
import { randomPair } from '../testing/dlmm-pairs.js';
import { Lab, missingPrograms, tryAll } from '../testing/lab.js';
import { DLMM_PROGRAM, dlmmVenue } from './index.js';

const skip = missingPrograms(DLMM_PROGRAM);
const NOW = 1_800_000_000n;
const SEED = Number(process.env.SEED ?? 20_262);
const POOLS = Number(process.env.POOLS ?? 250);

test('the program does what was quoted, on pairs of any shape', { skip }, (t) => {
  const lab = new Lab(DLMM_PROGRAM);
  const makePool = (random: Random) => randomPair(lab, random, NOW);
  const trials = tryAll(lab, dlmmVenue(), { pools: POOLS, trades: 3, seed: SEED, makePool });
  t.diagnostic(JSON.stringify(trials));
  assert.ok(trials.done > POOLS, JSON.stringify(trials));
});
