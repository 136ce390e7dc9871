import type { Random } from '@slipway/programs/testing';
import type { Side } from '../../venue.js';
import { type Lab, type LabPool, sized, type Tried } from './lab.js';
import type { TestedVenue } from './venues.js';

const TRADES_PER_POOL = 3;

export interface Trial extends Tried {
  pool: LabPool;
  from: Side;
  offered: bigint;
  time: Lab['time'];
}

/** Trades of random amounts and directions with random pools, one after the other, while time goes by. */
export function* randomTrials(
  { venue, randomPool }: TestedVenue,
  { lab, random, pools }: { lab: Lab; random: Random; pools: number },
): Generator<Trial> {
  for (let i = 0; i < pools; i++) {
    const pool = randomPool(lab, random);
    for (let trade = 0; trade < TRADES_PER_POOL; trade++) {
      const seconds = BigInt(random(3) * random(100));
      lab.setTime(lab.time.unixTimestamp + seconds, lab.time.slot + (seconds * 5n) / 2n + 1n);
      const [from, offered] = [random(2) as Side, sized(random, 63)];
      yield { ...lab.try(venue, pool, from, offered), pool, from, offered, time: lab.time };
    }
  }
}
