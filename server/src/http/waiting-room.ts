import type { onRequestHookHandler, onSendHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import type { Bucket } from './ports.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is counted among those that wait for their answer. */
    isWaiting: boolean;
  }
}

/** The most calls that wait for their answers at the same time. Those of `execute` also wait for the chain. */
export const MOST_WAITING: Readonly<Record<Bucket, number>> = { main: 1_000, execute: 10_000 };

interface Place {
  /** Lets a call in, or refuses it at once. */
  enter: onRequestHookHandler;
  leave: onSendHookHandler;
}

/**
 * Bounds the calls that wait for their answers. When a database or a node hangs, they become more and more, and none of
 * the new ones would be answered in time.
 */
export function createWaitingRoom(): (bucket: Bucket) => Place {
  const waiting: Record<Bucket, number> = { main: 0, execute: 0 };
  return (bucket) => ({
    enter(request, _reply, done) {
      if (waiting[bucket] >= MOST_WAITING[bucket]) {
        done(new AppError('OVERLOADED'));
        return;
      }
      waiting[bucket]++;
      request.isWaiting = true;
      done();
    },
    // Every answer comes through here, also if its client has gone.
    leave(request, _reply, _payload, done) {
      if (request.isWaiting) waiting[bucket]--;
      request.isWaiting = false;
      done();
    },
  });
}
