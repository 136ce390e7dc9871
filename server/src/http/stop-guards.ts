import type { onRequestHookHandler, preSerializationHookHandler } from 'fastify';
import type { StopCheck } from './ports.js';

/** Lets no call through while crafting is stopped. */
export function stopGuard(stops: StopCheck): onRequestHookHandler {
  return (_request, _reply, done) => {
    stops.require('crafts').then(() => done(), done);
  };
}

/** Hands out nothing once crafting is stopped that began before: its body may have come slowly, or what a node knows of it. */
export function stoppedAnswers(stops: StopCheck): preSerializationHookHandler<unknown> {
  return (_request, reply, payload, done) => {
    if (reply.statusCode >= 400) done(null, payload);
    else stops.require('crafts').then(() => done(null, payload), done);
  };
}
