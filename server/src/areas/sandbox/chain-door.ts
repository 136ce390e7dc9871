import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, plainError } from '../../errors/index.js';
import { isSameText } from '../../lib/same-text.js';

const DOOR = '/sandbox/chain/';
/** As much as the chain itself reads. */
const BODY_LIMIT = 1024 * 1024;

interface DoorDeps {
  /** The key of the sandbox. */
  sandboxKey: string;
  /** Where the chain listens, which only this machine can reach. */
  rpcUrl: string;
  wsUrl: string;
  publicUrl: () => string;
}

/**
 * Lets those who know a public sandbox's key reach its chain through the port of the API: the JSON-RPC and, at the same
 * path, the subscriptions. The path ends with a secret, because that is what wallets and libraries of the chain can send;
 * it opens nothing else. Answers with where that is.
 */
export function registerChainDoor(app: FastifyInstance, deps: DoorDeps): { rpcUrl: () => string; wsUrl: () => string } {
  const secret = createHmac('sha256', deps.sandboxKey).update('slipway chain').digest('base64url');
  const isOpen = (path: string): boolean => path.startsWith(DOOR) && isSameText(path.slice(DOOR.length), secret);
  serveCalls(app, deps.rpcUrl, isOpen);
  serveSubscriptions(app, deps.wsUrl, isOpen);
  const rpcUrl = () => `${deps.publicUrl()}${DOOR}${secret}`;
  return { rpcUrl, wsUrl: () => rpcUrl().replace(/^http/, 'ws') };
}

function serveCalls(app: FastifyInstance, rpcUrl: string, isOpen: (path: string) => boolean): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      (_request: FastifyRequest, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body),
    );
    scope.post<{ Body: Buffer }>(`${DOOR}:secret`, {
      config: { errorShape: plainError, auth: 'none' },
      schema: { hide: true },
      bodyLimit: BODY_LIMIT,
      onRequest: async ({ url }) => {
        if (!isOpen(pathOf(url))) throw new AppError('NOT_FOUND', { message: WRONG });
      },
      handler: async ({ body }, reply) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(rpcUrl, { method: 'POST', headers, body: new Uint8Array(body) });
        const type = answer.headers.get('content-type');
        if (type) reply.header('content-type', type);
        // What the client has not read yet stays with the chain, which bounds how much of that there is.
        return reply.code(answer.status).send(answer.body ? Readable.fromWeb(answer.body) : undefined);
      },
    });
  });
}

const WRONG = 'No chain is here: GET /sandbox/info says where it is, to those who have the key';

/** Node hands every request that wants another protocol to whoever listens for one. */
function serveSubscriptions(app: FastifyInstance, wsUrl: string, isOpen: (path: string) => boolean): void {
  const sockets = new Set<Duplex>();
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Of a client that is gone, nobody wants to know why.
    socket.on('error', () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return refuse(socket, '400 Bad Request', 'This service speaks HTTP/1.1, and WebSocket where its chain is');
    if (!isOpen(pathOf(request.url ?? ''))) return refuse(socket, '404 Not Found', WRONG);
    sockets.add(socket);
    // Who has subscribed may hear nothing for long.
    (socket as Socket).setTimeout(0);
    socket.once('close', () => sockets.delete(socket));
    join(request, socket, head, wsUrl);
  });
  // The server waits for all its connections, and these have no end.
  app.addHook('preClose', async () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Repeats the handshake before the chain, and passes on whatever then comes from either side. */
function join(request: IncomingMessage, socket: Duplex, head: Buffer, wsUrl: string): void {
  const { hostname, port, host } = new URL(wsUrl);
  const chain = connect({ host: hostname, port: Number(port) });
  const asked = Object.entries(request.headers).filter(([name]) => name.startsWith('sec-websocket-'));
  const lines = [
    'GET / HTTP/1.1',
    `host: ${host}`,
    'connection: Upgrade',
    'upgrade: websocket',
    ...asked.map(([name, value]) => `${name}: ${value}`),
  ];
  chain.write(`${lines.join('\r\n')}\r\n\r\n`);
  chain.write(head);
  socket.pipe(chain).pipe(socket);
  chain.on('error', () => socket.destroy());
  chain.once('close', () => socket.destroy());
  socket.once('close', () => chain.destroy());
}

/** Closes it from both sides: nothing else ends a connection that has left HTTP, and whose client stays. */
function refuse(socket: Duplex, status: string, text: string): void {
  const length = Buffer.byteLength(text);
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n${text}`,
    () => socket.destroy(),
  );
}

const pathOf = (url: string): string => url.split('?', 1)[0]!;
