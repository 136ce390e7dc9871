import type { onRequestHookHandler, preHandlerHookHandler } from 'fastify';
import { unknownKey } from './guards.js';
import type { KeyLookup } from './ports.js';

/** Milliseconds after the head of a request in which its body has come early enough: copies hear of a change about as late. */
const LATE_MS = 1_000;

/**
 * Who may call is asked before the body is read, and its sender has a minute for that: whoever keeps requests open could complete
 * them when his key, his login or his rights as an admin have ended. So that is asked again where the body came late.
 */
export function ifLate(guards: readonly onRequestHookHandler[]): preHandlerHookHandler[] {
  return guards.map(
    (guard): preHandlerHookHandler =>
      function (request, reply, done) {
        if (reply.elapsedTime < LATE_MS) done();
        else guard.call(this, request, reply, done);
      },
  );
}

/** Lets a call through whose key still is one; it is not counted again. */
export function stillKey(keys: KeyLookup): onRequestHookHandler {
  return ({ apiKey, headers }, _reply, done) => {
    if (apiKey === undefined) {
      done();
      return;
    }
    const judge = (found: unknown) => done(found === undefined ? unknownKey() : undefined);
    Promise.resolve(keys(String(headers['x-api-key']))).then(judge, done);
  };
}
