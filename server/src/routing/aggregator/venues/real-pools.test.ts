import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { randomNumbers } from '@slipway/programs/testing';
import type { Address } from '@slipway/wire';
import type { Side, Venue } from '../venue.js';
import { dammV2Venue } from './meteora-damm-v2.js';
import { dbcVenue } from './meteora-dbc.js';
import { dlmmVenue } from './meteora-dlmm/index.js';
import { raydiumCpmmVenue } from './raydium-cpmm.js';
import { assertKept, Lab, missingPrograms, sized } from './testing/lab.js';
import { makeDlmmPair, makeWhirlpool } from './testing/made-concentrated-pools.js';
import { makeCpmmPool, makeDammPool, makeDbcPool } from './testing/made-pools.js';
import { whirlpoolVenue } from './whirlpool/index.js';

const TRADES = 60;

const made: [name: string, venue: Venue, make: (lab: Lab) => Address][] = [
  ['of Raydium', raydiumCpmmVenue(), makeCpmmPool],
  ['of DAMM v2, fees on the output', dammV2Venue(), (lab) => makeDammPool(lab, 0)],
  ['of DAMM v2, fees in the second token', dammV2Venue(), (lab) => makeDammPool(lab, 1)],
  ['of DAMM v2, fees compounding', dammV2Venue(), (lab) => makeDammPool(lab, 2)],
  ['of a launch curve, fees in what is paid', dbcVenue(), (lab) => makeDbcPool(lab, 0)],
  ['of a launch curve, fees on the output', dbcVenue(), (lab) => makeDbcPool(lab, 1)],
  ['of Orca, fixed fee', whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM), (lab) => makeWhirlpool(lab, false)],
  ['of Orca, adaptive fee', whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM), (lab) => makeWhirlpool(lab, true)],
  ['of DLMM, fees on the input', dlmmVenue(), (lab) => makeDlmmPair(lab, 0)],
  ['of DLMM, fees in the second token', dlmmVenue(), (lab) => makeDlmmPair(lab, 1)],
];

describe('a pool that the program itself has made is quoted to the unit, trade after trade', () => {
  for (const [name, venue, make] of made) {
    it(name, { skip: missingPrograms(venue.program) }, () => {
      const lab = new Lab(venue.program);
      const address = make(lab);
      const random = randomNumbers(TRADES);
      let trades = 0;
      for (let i = 0; i < TRADES; i++) {
        lab.setTime(lab.time.unixTimestamp + BigInt(1 + random(120)), lab.time.slot + 100n);
        const [from, offered] = [random(2) as Side, sized(random, 36)];
        const trial = lab.try(venue, { address }, from, offered);
        // Only its last buyer makes it so.
        if (trial.refused === 'its curve is complete' && trades > TRADES / 4) break;
        assertKept(trial, `${offered} from side ${from}`);
        if (trial.quoted) trades++;
      }
      assert.ok(trades > TRADES / 4, `${trades} trades`);
    });
  }
});
