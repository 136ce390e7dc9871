import { IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import type { Random } from '@slipway/programs/testing';
import type { Venue } from '../../venue.js';
import { dammV2Venue } from '../meteora-damm-v2.js';
import { dbcVenue } from '../meteora-dbc.js';
import { dlmmVenue } from '../meteora-dlmm/index.js';
import { raydiumCpmmVenue } from '../raydium-cpmm.js';
import { whirlpoolVenue } from '../whirlpool/index.js';
import type { Lab, LabPool } from './lab.js';
import { randomDammPool } from './meteora-damm-v2.js';
import { randomDbcPool } from './meteora-dbc.js';
import { randomPair } from './meteora-dlmm.js';
import { randomCpmmPool } from './raydium-cpmm.js';
import { randomWhirlpool } from './whirlpool.js';

export interface TestedVenue {
  /** Name of its file of recorded trades. */
  name: string;
  venue: Venue;
  /** Whether its fee changes in the course of a trade. */
  feeMoves?: boolean;
  /** How many executed trades are recorded; 20 if not given. */
  recorded?: number;
  randomPool(lab: Lab, random: Random): LabPool;
}

/** The venues of other companies' programs. */
export const TESTED_VENUES: readonly TestedVenue[] = [
  { name: 'raydium-cpmm', venue: raydiumCpmmVenue(), randomPool: randomCpmmPool },
  { name: 'meteora-damm-v2', venue: dammV2Venue(), randomPool: randomDammPool },
  { name: 'meteora-dbc', venue: dbcVenue(), randomPool: randomDbcPool },
  {
    name: 'whirlpool',
    venue: whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM),
    feeMoves: true,
    recorded: 60,
    randomPool: randomWhirlpool,
  },
  { name: 'meteora-dlmm', venue: dlmmVenue(), feeMoves: true, recorded: 40, randomPool: randomPair },
];
