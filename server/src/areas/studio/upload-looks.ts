import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import { FairRoom } from '../../lib/fair-room.js';
import { UNLIMITED_TIER } from '../../lib/tiers.js';
import type { Objects } from '../../objects/index.js';

const MIB = 1024 * 1024;
/** As an upload pays for its body. */
const BYTES_A_CALL = 256 * 1024;

/** Who has files looked at. */
export type Looker = Pick<FastifyRequest, 'payer' | 'charge'>;

/** Does what reads so many bytes of uploaded files. @throws AppError RATE_LIMITED, OVERLOADED: then nothing was read */
export type Look = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/**
 * Has whoever posts a launch pay for the files of it that are read for that, and bounds what of them is in memory at the
 * same time: otherwise the same five megabytes could be read for each of ever more posts of a kilobyte.
 */
export function boundLooks({ maxImageBytes }: Pick<Objects, 'maxImageBytes'>): (looker: Looker) => Look {
  const room = new FairRoom(Math.max(64 * MIB, 4 * maxImageBytes), 1);
  return (looker) => async (bytes, work) => {
    const leave = room.take(bytes);
    if (leave === 'all') {
      throw new AppError('OVERLOADED', { message: 'Too many launches are being submitted; try again in a moment' });
    }
    const { payer } = looker;
    let forget: 'guest' | (() => void) = () => {};
    try {
      if (payer && payer.tier !== UNLIMITED_TIER) forget = room.countFor(payer, bytes);
      if (forget === 'guest') throw tooMany('too many launches of yours are being submitted; let some of them end');
      if ((await looker.charge(Math.ceil(bytes / BYTES_A_CALL)))?.allowed === false) {
        throw tooMany('each 256 KiB of what was uploaded for a launch counts as a call, and fewer are left; wait');
      }
      return await work();
    } finally {
      leave();
      if (forget !== 'guest') forget();
    }
  };
}

function tooMany(why: string): AppError {
  return new AppError('RATE_LIMITED', { message: `Too many requests: ${why}` });
}
