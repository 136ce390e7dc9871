import type { Random } from '@slipway/programs/testing';
import type { PoolState, Side } from '../../venue.js';
import { type Lab, type LabPool, sized, type Tried } from './lab.js';
import type { TestedVenue } from './venues.js';

const TRADES_PER_POOL = 3;
/** Of what is offered: with what is in a pool, never more than there can be of a token. */
const MOST_BITS = 62;

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
      const from = random(2) as Side;
      const offered =
        random(3) === 0 ? edgeAmount(lab.open(venue, pool.address).state, from, random) : sized(random, MOST_BITS);
      yield { ...lab.try(venue, pool, from, offered), pool, from, offered, time: lab.time };
    }
  }
}

/** The least or the most that is quoted, or one unit beside it. */
function edgeAmount(state: PoolState | string, from: Side, random: Random): bigint {
  const some = sized(random, MOST_BITS);
  if (typeof state === 'string' || !state.quote(from, some)) return some;
  const isLeast = random(2) === 0;
  let [inside, outside] = [some, isLeast ? 0n : 2n ** BigInt(MOST_BITS)];
  while (inside - outside > 1n || outside - inside > 1n) {
    const middle = (inside + outside) / 2n;
    if (state.quote(from, middle)) inside = middle;
    else outside = middle;
  }
  return [inside, outside][random(2)] || 1n;
}
