import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import { GrowingCache } from '../lib/growing-cache.js';
import { NoPlace, Places } from '../lib/places.js';
import { ROOT } from './ports.js';
import { leaveAlso } from './waiting-room.js';

/** Calls that wait for their answers: each may have a connection to the database, of which a copy has ten. */
const MOST_WAITING = { ofKey: 16, all: 32 };
/** Sessions that one admin begins or ends in a minute: each is written into the record, which is kept. */
const SESSIONS_A_MINUTE = 30;
const MINUTE_MS = 60_000;
const MOST_ADMINS = 1_000;

/** Bounds what admins ask for at the same time, but for the holder of the configured token, who may have to stop one of them. */
export function adminPlaces(): onRequestHookHandler {
  const places = new Places(MOST_WAITING);
  return (request, _reply, done) => {
    try {
      if (request.adminName !== ROOT.name) leaveAlso(request, places.enter({ id: request.adminName }));
      done();
    } catch (error) {
      if (!(error instanceof NoPlace)) throw error;
      const whose = error.whose === 'guest' ? `calls of the admin ${request.adminName}` : 'calls of admins';
      done(new AppError('RATE_LIMITED', { message: `Too many ${whose} wait for their answers; let some end` }));
    }
  };
}

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
