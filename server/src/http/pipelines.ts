import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that may wait behind another one of it. Browsers, proxies and libraries send none. */
export const MOST_BEHIND = 16;

interface Line {
  /** The answer that everything before it on the connection has been given for, or will be. */
  last: ServerResponse | undefined;
  waiting: number;
}

/**
 * Begins a request that a client sends before it has the answers to others when these have been given, and bounds how many
 * wait so. Node reads on as long as it has nothing to write: of a few kilobytes that ask for files a thousand times, each
 * would be open, or in memory, until the client reads. Beyond the bound the connection is closed.
 */
export function boundPipelines(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
    const line = lines.get(socket) ?? { last: undefined, waiting: 0 };
    lines.set(socket, line);
    const before = line.last;
    line.last = answer;
    answer.once('close', () => {
      if (line.last === answer) line.last = undefined;
    });
    // An answer has the socket at once, unless another one has it; of one to a path that is none, no hook hears.
    if (answer.socket !== null || before === undefined) return done();
    // Whatever has come in the same piece ends here, too: nobody waits for its answer any more.
    if (line.waiting >= MOST_BEHIND) return void socket.destroy();
    line.waiting += 1;
    before.once('close', () => {
      line.waiting -= 1;
      // Nobody could be told how it ends where the answer before has closed the connection.
      if (socket.writable) done();
    });
  });
}
