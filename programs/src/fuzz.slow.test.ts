import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fuzz } from './fuzz-engine.js';
import { FUZZ_TARGETS } from './fuzz-targets.js';

/** For each world of a program; `programs/tools/fuzz.mjs` runs more. */
const COUNT = 3_000;
const SEED = Number(process.env.TEST_SEED ?? 20_261_123);

describe('attack: a stranger on the chain sends random accounts, orders of accounts, data and duplicates: nothing is taken from who has not signed', () => {
  for (const [name, targets] of Object.entries(FUZZ_TARGETS)) {
    it(`attack: spoiled instructions of ${name} keep every lamport and token, and cost who did not sign 0`, (t) => {
      for (const [i, open] of targets.entries()) {
        const { instructions, succeeded, refusals } = fuzz(open(SEED), SEED, COUNT);
        t.diagnostic(
          `${name} ${i}: TEST_SEED=${SEED}, ${instructions} instructions, ${succeeded} transactions succeeded`,
        );
        t.diagnostic(`refused for ${refusals.size} reasons`);
        assert.ok(succeeded > COUNT / 300, `only ${succeeded} transactions succeeded`);
        assert.ok(refusals.size > 10, [...refusals.keys()].join('\n'));
      }
    });
  }
});
