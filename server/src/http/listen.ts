import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { outliveRefusedConnections } from './failures.js';

/** Listens on a host, of which `localhost` may have two addresses; returns the port. */
export async function listen(app: FastifyInstance, host: string, port: number, log: Logger): Promise<number> {
  const addresses = host === 'localhost' ? await lookup(host, { all: true }) : [{ address: host }];
  const [first, ...others] = new Set(addresses.map(({ address }) => address));
  await app.listen({ host: first!, port });
  const { port: actual } = app.server.address() as AddressInfo;
  for (const address of others) await listenAlso(app, address, actual, log);
  return actual;
}

/**
 * Has the server take what connects to a further address, too, where that can be listened on. By itself, Fastify would make a
 * second server, whose connections nothing of this folder bounds, and whose end nobody waits for.
 */
export async function listenAlso(app: FastifyInstance, address: string, port: number, log: Logger): Promise<void> {
  const { server } = app;
  // As an HTTP server has it.
  const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (server.listening) server.emit('connection', socket);
    else socket.destroy();
  });
  outliveRefusedConnections(door, log);
  server.once('close', () => door.close());
  try {
    await once(door.listen(port, address), 'listening');
  } catch (error) {
    log.info({ address, err: error }, 'a further address of the host is not listened on');
  }
}
