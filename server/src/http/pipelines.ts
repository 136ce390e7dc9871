import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that may wait behind another one of it. Browsers, proxies and libraries send none. */
export const MOST_BEHIND = 16;

interface Line {
  /** The answer that everything before it on the connection has been given for, or will be. */
  last: ServerResponse | undefined;
  /** Those that have not been given. */
  readonly open: Set<ServerResponse>;
}

const lines = new WeakMap<Socket, Line>();
/** What an answer comes behind. */
const before = new WeakMap<ServerResponse, ServerResponse>();

/**
 * The answer to any request, also to what Node or Fastify refuses before a hook hears of it, such as a path that is none. It
 * closes a connection on which too many wait: Node reads on as long as it has nothing to write, so that of a few kilobytes
 * thousands would be in memory until the client reads.
 */
export class AnswerInLine<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Node gives options besides the request. */
  constructor(...args: [request: Request]) {
    super(...args);
    const [{ socket }] = args;
    const line = lines.get(socket) ?? { last: undefined, open: new Set() };
    lines.set(socket, line);
    if (line.last) before.set(this, line.last);
    line.last = this;
    line.open.add(this);
    this.once('close', () => {
      line.open.delete(this);
      if (line.last === this) line.last = undefined;
      // Or each would be kept by the one behind it, for as long as there is one.
      before.delete(this);
    });
    // Whatever has come in the same piece ends here, too: nobody waits for its answer any more.
    if (line.open.size > 1 + MOST_BEHIND) socket.destroy();
  }
}

/** Whether a connection has a request that has come whole and whose answer is still being made. */
export function isAtWork(socket: Socket): boolean {
  const open = lines.get(socket)?.open ?? [];
  return [...open].some((answer) => answer.req.complete && !answer.writableEnded);
}

/** Whether all answers of a connection have been sent. */
export function isIdle(socket: Socket): boolean {
  return lines.get(socket)?.open.size === 0;
}

/**
 * Begins a request that a client sends before it has the answers to others when these have been given. Of one that began earlier,
 * nothing would end what it sends when the connection ends: to Node, its answer has none yet. Needs answers that are in line.
 */
export function beginInTurn(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
    const earlier = before.get(answer);
    // An answer has the socket at once, unless another one has it.
    if (answer.socket !== null || earlier === undefined) return done();
    earlier.once('close', () => {
      // Nobody could be told how it ends where the answer before has closed the connection.
      if (socket.writable) done();
    });
  });
}
