import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import { FairRoom } from '../lib/fair-room.js';
import { GrowingCache } from '../lib/growing-cache.js';
import { ROOT } from './ports.js';
import { leaveAlso } from './waiting-room.js';

/** Calls that wait for their answers: each may have a connection to the database. One admin has the half of it at most, the next one half of the rest. */
const MOST_WAITING = 32;
/** Sessions that one admin begins or ends in a minute: each is written into the record, which is kept. */
const SESSIONS_A_MINUTE = 30;
const MINUTE_MS = 60_000;
const MOST_ADMINS = 1_000;

/** Bounds what admins ask for at the same time, but for the holder of the configured token, who may have to stop one of them. */
export function adminPlaces(): onRequestHookHandler {
  const room = new FairRoom(MOST_WAITING, 1);
  return (request, _reply, done) => {
    if (request.adminName === ROOT.name) {
      done();
      return;
    }
    const leave = room.take(1);
    if (leave === 'all') {
      done(tooMany('calls of admins'));
      return;
    }
    leaveAlso(request, leave);
    const leaveShare = room.countFor({ id: request.adminName }, 1);
    if (leaveShare === 'guest') {
      done(tooMany(`calls of the admin ${request.adminName}`));
      return;
    }
    leaveAlso(request, leaveShare);
    done();
  };
}

const tooMany = (whose: string): AppError =>
  new AppError('RATE_LIMITED', { message: `Too many ${whose} wait for their answers; let some end` });

/** Bounds the sessions that an admin begins and ends. */
export function boundSessions(steadyNow: () => number): onRequestHookHandler {
  const counts = new GrowingCache<string, { begun: number; until: number }>(MOST_ADMINS);
  const countOf = ({ adminName }: FastifyRequest) => {
    const known = counts.get(adminName);
    return known && known.until > steadyNow() ? known : { begun: 0, until: steadyNow() + MINUTE_MS };
  };
  return (request, reply, done) => {
    const { begun, until } = countOf(request);
    if (request.method === 'GET' || request.adminName === ROOT.name) done();
    else if (begun < SESSIONS_A_MINUTE) {
      counts.set(request.adminName, { begun: begun + 1, until });
      done();
    } else {
      reply.header('retry-after', Math.ceil((until - steadyNow()) / 1_000));
      done(new AppError('RATE_LIMITED', { message: 'Too many sessions were begun or ended within a minute' }));
    }
  };
}
