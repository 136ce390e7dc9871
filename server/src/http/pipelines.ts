import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that may wait behind another one of it. Browsers, proxies and libraries send none. */
export const MOST_BEHIND = 16;

/**
 * Bounds the requests that a client sends on one connection before it has the answers. Node reads on as long as it has
 * nothing to write: of a few kilobytes that ask for files a thousand times, each would be open, or in memory, until the
 * client reads. Beyond the bound the connection is closed.
 */
export function boundPipelines(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
    // An answer has the socket at once, unless another one has it.
    if (answer.socket !== null) return done();
    const before = waiting.get(socket) ?? 0;
    // Whatever has come in the same piece ends here, too: nobody waits for its answer any more.
    if (before >= MOST_BEHIND) return void socket.destroy();
    waiting.set(socket, before + 1);
    answer.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    done();
  });
}
