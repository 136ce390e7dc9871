import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How much of a body is read and thrown away after its answer has been given, in bytes and milliseconds. */
const BOUND = { bytes: 32 * 1024 * 1024, ms: 30_000 };

/**
 * Lets clients see an answer that is given before their body has arrived, such as a 413. Many read nothing before they
 * have sent everything, and would find the connection broken if it were closed at once. So the rest of the body is
 * thrown away, up to a bound, beyond which the connection is closed. Closing the server does not wait for such bodies.
 */
export function readOutRefusedUploads(app: FastifyInstance, bound = BOUND): void {
  const sockets = new Set<Socket>();
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    for (const socket of sockets) socket.destroy();
    done();
  });

  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!closing && isArriving(request) && !request.raw.socket.destroyed) readOut(request, reply);
    done();
  });

  function readOut({ raw }: FastifyRequest, reply: FastifyReply): void {
    const { socket } = raw;
    const isWanted = reply.raw.shouldKeepAlive;
    // Node closes a connection that is not kept alive as soon as the answer has been sent.
    reply.removeHeader('connection');
    reply.raw.shouldKeepAlive = true;
    sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), bound.ms).unref();
    const forget = () => {
      clearTimeout(timer);
      sockets.delete(socket);
      for (const each of [raw, socket]) each.off('close', forget);
    };
    // A request whose answer has been given hears nothing of the end of its connection.
    for (const each of [raw, socket]) each.once('close', forget);
    let bytes = 0;
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bound.bytes) socket.destroy();
    });
    if (!isWanted) {
      const ends = [once(raw, 'end'), once(reply.raw, 'finish')];
      Promise.all(ends).then(
        () => socket.end(),
        () => socket.destroy(),
      );
    }
    raw.resume();
  }
}

function isArriving({ raw, headers }: FastifyRequest): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && raw.complete === false;
}
