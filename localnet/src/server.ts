import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Callers, createCallers } from './hosts.js';
import type { Call } from './rpc/call.js';
import { answer } from './rpc/envelope.js';
import type { Subscriptions } from './rpc/subscriptions.js';
import { serveSocket } from './socket.js';
import { UnreadAnswers } from './unread-answers.js';
import { UnreadNews } from './unread-news.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** How much of a body over the limit is read and thrown away. */
const MAX_DISCARDED_BYTES = 64 * MAX_BODY_BYTES;
/** Clients keep connections for much longer than Node's 5 s, and fail when a request meets the server's close. */
const KEEP_ALIVE_MS = 120_000;
const PORT_PAIR_TRIES = 50;
/** More are a client that forgets to close. */
export const MAX_SOCKETS = 1_000;

interface ServerOptions {
  host: string;
  /** 0 for any free port. */
  rpcPort: number;
  /** Default: the port after `rpcPort`. */
  wsPort?: number;
  /** Further names of this machine, in lower case, under which it may be called. */
  hosts?: readonly string[];
  call: Call;
  subscriptions: Subscriptions;
}

export interface RunningServer {
  rpcUrl: string;
  wsUrl: string;
  close: () => Promise<void>;
}

/**
 * Serves JSON-RPC over HTTP, and subscriptions over WebSocket on the next port (where web3.js 1 looks) and on the HTTP
 * port. Resolves when both listen; rejects with a one-line error that names the port and its option.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, hosts = [], call, subscriptions } = options;
  const callers = createCallers([host.toLowerCase(), ...hosts]);
  const unreadNews = new UnreadNews();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A page needs nobody's permission to open a WebSocket: the server has to refuse it.
    if (refusalOf(request, callers)) refuseUpgrade(socket, '403 Forbidden');
    else if (sockets.clients.size >= MAX_SOCKETS) refuseUpgrade(socket, '503 Service Unavailable');
    else sockets.handleUpgrade(request, socket, head, (client) => serveSocket(client, subscriptions, unreadNews));
  };
  const serving = { call, callers, unread: new UnreadAnswers() };
  const rpcServer = createServer((request, response) => serveRequest(request, response, serving)).on(
    'upgrade',
    upgrade,
  );
  const wsServer = createServer(refuseRequest).on('upgrade', upgrade);
  for (const server of [rpcServer, wsServer]) {
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = KEEP_ALIVE_MS + 5_000;
  }
  await listenPair(rpcServer, wsServer, options);
  // Too many open files, say, for one more connection: where nobody hears of that, the chain ends.
  for (const server of [rpcServer, wsServer]) server.on('error', () => {});
  return {
    rpcUrl: `http://${urlHost(host)}:${portOf(rpcServer)}`,
    wsUrl: `ws://${urlHost(host)}:${portOf(wsServer)}`,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await Promise.all([rpcServer, wsServer].map(closeServer));
    },
  };
}

interface Serving {
  call: Call;
  callers: Callers;
  unread: UnreadAnswers;
}

function serveRequest(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const refusal = refusalOf(request, serving.callers);
  allowOrigin(request, response, refusal);
  const path = request.url?.split('?')[0];
  if (refusal) refuse(request, response, refusal);
  else if (request.method === 'OPTIONS') reply(response, 204);
  else if (request.method === 'GET' && path === '/health') reply(response, 200, 'ok', 'text/plain');
  else if (path !== '/') reply(response, 404, 'Not found', 'text/plain');
  else if (request.method === 'POST') serveRpc(request, response, serving);
  else {
    response.setHeader('allow', 'POST, OPTIONS');
    reply(response, 405, 'Used HTTP Method is not allowed. POST or OPTIONS is required', 'text/plain');
  }
}

function serveRpc(request: IncomingMessage, response: ServerResponse, { call, unread }: Serving): void {
  readBody(request, async (body) => {
    if (body === undefined) {
      response.setHeader('connection', 'close');
      reply(response, 413, `The body is larger than ${MAX_BODY_BYTES} bytes`, 'text/plain');
      return;
    }
    const text = await answer(body.toString('utf8'), call);
    if (text === undefined) return reply(response, 204);
    // In memory once: of a text that waits, Node keeps another.
    const bytes = Buffer.from(text);
    unread.hold(response, bytes.length);
    reply(response, 200, bytes, 'application/json');
  });
}

/**
 * Calls `done` once with the whole body, or with undefined where it is over the limit: after the end of it, because a
 * client that is still sending would not read the answer. One that sends without an end is cut off.
 */
function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  let chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks = [];
    if (length > MAX_DISCARDED_BYTES) request.destroy();
  });
  request.on('end', () => done(length <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined));
}

interface Refusal {
  status: number;
  text: string;
}

/**
 * Why a request is not served: a page of the web sent it, or a name that somebody pointed at this machine. A page's post
 * must say that it is JSON, which a browser sends only after it has asked.
 */
function refusalOf({ method, headers }: IncomingMessage, callers: Callers): Refusal | undefined {
  const { host, origin } = headers;
  if (!callers.isHere(host)) {
    return {
      status: 403,
      text: `The host ${JSON.stringify(host)} is not known here; SLIPWAY_HOSTS names further ones`,
    };
  }
  if (!callers.mayCall(origin)) return { status: 403, text: 'Pages of other origins than this machine may not call' };
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  if (origin === undefined || method !== 'POST' || isJson) return undefined;
  return { status: 415, text: 'A page must send application/json' };
}

/** What the client is still sending is thrown away. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, text }: Refusal): void {
  readBody(request, () => reply(response, status, text, 'text/plain'));
}

function allowOrigin(request: IncomingMessage, response: ServerResponse, refusal: Refusal | undefined): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('vary', 'origin');
  if (refusal?.status === 403) return;
  response.setHeader('access-control-allow-origin', origin);
  if (request.method !== 'OPTIONS') return;
  response.setHeader('access-control-allow-methods', 'POST, GET, OPTIONS');
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*');
  response.setHeader('access-control-max-age', '86400');
}

/** Closes it from both sides: nothing else ends a connection that has left HTTP, and whose client stays. */
function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function refuseRequest(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('upgrade', 'websocket');
  reply(response, 426, 'This port serves WebSocket connections', 'text/plain');
}

function reply(response: ServerResponse, status: number, body: string | Buffer = '', type?: string): void {
  if (type) response.setHeader('content-type', type);
  response.writeHead(status).end(body);
}

async function listenPair(rpcServer: Server, wsServer: Server, options: ServerOptions): Promise<void> {
  const { host, rpcPort, wsPort } = options;
  for (let tries = 1; ; tries++) {
    await listen(rpcServer, host, rpcPort, 'choose another with SLIPWAY_RPC_PORT');
    try {
      const next = portOf(rpcServer) + 1;
      return await listen(
        wsServer,
        host,
        wsPort ?? next,
        wsPort === undefined
          ? 'choose another SLIPWAY_RPC_PORT: the WebSocket takes the port after that'
          : 'choose another with --ws-port',
      );
    } catch (error) {
      await closeServer(rpcServer);
      // Of a free port that we chose, the next one may be taken: another pair.
      const chosenByUs = rpcPort === 0 && wsPort === undefined;
      if (!chosenByUs || tries === PORT_PAIR_TRIES) throw error;
    }
  }
}

function listen(server: Server, host: string, port: number, todo: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      reject(new Error(listenProblem(error, host, port, todo)));
    };
    server.once('error', failed);
    try {
      server.listen(port, host, () => {
        server.off('error', failed);
        resolve();
      });
    } catch {
      reject(new Error(`port ${port} is not from 0 to 65535: ${todo}`));
    }
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number, todo: string): string {
  if (error.code === 'EADDRINUSE') return `port ${port} on ${host} is already in use: ${todo}`;
  if (error.code === 'EACCES') return `no permission to listen on port ${port}: ${todo}`;
  return `cannot listen on ${host}:${port}: ${error.code ?? error.message}`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** An address that a client on this machine can use for the host that was listened on. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
