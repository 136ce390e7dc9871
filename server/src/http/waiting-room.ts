import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import { FairRoom } from '../lib/fair-room.js';
import { UNLIMITED_TIER } from '../lib/tiers.js';
import type { Bucket, Payer } from './ports.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back what it has of rooms that are shared; undefined where it has nothing, or not any more. */
    leaveRooms: (() => void) | undefined;
  }
}

/** The most calls that wait for their answers at the same time. Those of `execute` also wait for the chain. */
export const MOST_WAITING: Readonly<Record<Bucket, number>> = { main: 1_000, execute: 10_000 };

interface Place {
  /** Lets a call in, or refuses it at once. */
  enter: onRequestHookHandler;
  /** Once it is known who calls: the refusal where that caller has too many of what is left for all. */
  share(request: FastifyRequest, payer: Payer): AppError | undefined;
}

/**
 * Bounds the calls that wait for their answers. When a database or a node hangs, they become more and more, and none of
 * the new ones would be answered in time. A caller's own wait as long as it likes: for a body that never comes, or for
 * the end of a transaction that does not land.
 */
export function createWaitingRoom(): (bucket: Bucket) => Place {
  // A key may make far more calls of `execute` than others in the minute that each may take.
  const rooms = { main: new FairRoom(MOST_WAITING.main, 1), execute: new FairRoom(MOST_WAITING.execute, 4) };
  return (bucket) => ({
    enter(request, _reply, done) {
      const leave = rooms[bucket].take(1);
      if (leave === 'all') {
        done(new AppError('OVERLOADED'));
        return;
      }
      leaveAlso(request, leave);
      done();
    },
    share(request, payer) {
      if (payer.tier === UNLIMITED_TIER) return undefined;
      const leave = rooms[bucket].countFor(payer, 1);
      if (leave === 'guest') {
        return new AppError('RATE_LIMITED', { message: 'Too many of your calls wait for their answers; let some end' });
      }
      leaveAlso(request, leave);
      return undefined;
    },
  });
}

/** Has a request give back something more when it is answered. */
export function leaveAlso(request: { leaveRooms: (() => void) | undefined }, leave: () => void): void {
  const { leaveRooms } = request;
  request.leaveRooms = leaveRooms
    ? () => {
        leaveRooms();
        leave();
      }
    : leave;
}

/** Every answer comes through here, also if its client has gone. */
export const leaveRooms: onSendHookHandler = (request, _reply, _payload, done) => {
  request.leaveRooms?.();
  request.leaveRooms = undefined;
  done();
};
