import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { randomNumbers } from '@slipway/programs/testing';
import { assertKept, Lab, missingPrograms } from './testing/lab.js';
import { randomTrials } from './testing/trials.js';
import { TESTED_VENUES } from './testing/venues.js';

/** Of a venue; SLIPWAY_TRIAL_POOLS for longer runs, SLIPWAY_TRIAL_SEED to repeat one. */
const POOLS = Number(process.env.SLIPWAY_TRIAL_POOLS ?? 200);
const SEED = Number(process.env.SLIPWAY_TRIAL_SEED ?? randomInt(1, 2 ** 31));

describe('whatever is quoted is what the real program does, to the unit', () => {
  for (const tested of TESTED_VENUES) {
    const { label, program } = tested.venue;
    it(label, { skip: missingPrograms(program) }, (t) => {
      const counts = { trades: 0, refused: 0, closed: 0 };
      const lab = new Lab(program);
      for (const trial of randomTrials(tested, { lab, random: randomNumbers(SEED), pools: POOLS })) {
        if (trial.refused !== undefined) {
          assert.equal(trial.refused, 'its curve is complete', `seed ${SEED}`);
          counts.closed++;
          continue;
        }
        assertKept(trial, `seed ${SEED}: ${trial.offered} from side ${trial.from} of ${trial.pool.address}`);
        counts[trial.quoted ? 'trades' : 'refused']++;
      }
      t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
      assert.ok(counts.trades > POOLS, 'most trades are possible');
    });
  }
});
