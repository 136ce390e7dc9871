import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { steadyNow } from '../lib/clock.js';
import { isAtWork, isIdle } from './pipelines.js';

/** In milliseconds since the server began to close. */
const BOUND = {
  /** How often connections are looked through. */
  eachMs: 500,
  /** How long the rest of a request, or the reading of an answer, may take. */
  clientsMs: 5_000,
  /** How long requests under way may take. */
  requestsMs: 20_000,
};

/**
 * Ends connections while the server closes, which otherwise waits for all that Node does not count as idle: one that never sent
 * anything, half a request, an answer that nobody reads. Node's own limits for these are off by then. Needs answers that are in
 * line.
 */
export function endConnections(app: FastifyInstance, log: Logger, bound = BOUND, now = steadyNow): void {
  const sockets = new Set<Socket>();
  /** When each was last seen at work, in milliseconds since the server began to close. */
  const lastAtWork = new WeakMap<Socket, number>();
  let looking: NodeJS.Timeout | undefined;
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Node's own, with which it begins to close, would cut off answers that are still being read.
  app.server.closeIdleConnections = () => {
    for (const socket of sockets) if (isIdle(socket)) socket.destroy();
  };
  app.addHook('preClose', (done) => {
    const began = now();
    looking = setInterval(() => look(now() - began), bound.eachMs);
    done();
  });
  // The server itself does not wait for what has come by another address.
  app.addHook('onClose', async () => {
    await Promise.all([...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', resolve))));
    clearInterval(looking);
  });

  function look(sinceMs: number): void {
    const atWork = [...sockets].filter(isAtWork).length;
    if (sinceMs >= bound.requestsMs && atWork > 0)
      log.warn({ requests: atWork }, 'requests under way did not end in time');
    for (const socket of sockets) {
      if (isAtWork(socket)) lastAtWork.set(socket, sinceMs);
      if (sinceMs >= mayStayUntil(socket, sinceMs)) socket.destroy();
    }
  }

  function mayStayUntil(socket: Socket, sinceMs: number): number {
    const worked = lastAtWork.get(socket);
    if (worked === sinceMs) return bound.requestsMs;
    if (socket.bytesRead === 0 || isIdle(socket)) return 0;
    return Math.min((worked ?? 0) + bound.clientsMs, bound.requestsMs);
  }
}
