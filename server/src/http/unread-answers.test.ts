import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { boundUnreadAnswers, FILE_BYTES } from './unread-answers.js';

/** More than the system takes of an answer that nobody reads. */
const LONG = 'x'.repeat(16 * 1024 * 1024);
const SHARED = Buffer.from(LONG);

/** A server whose clients say who they are, or have a key, and which holds so many bytes that they do not read. */
async function openServer(t: TestContext, most: number) {
  const app = Fastify();
  app.decorateRequest('payer', undefined);
  app.addHook('onRequest', async (request) => {
    const id = request.headers['x-api-key'];
    if (typeof id === 'string') request.payer = { id, tier: 'free', bucket: 'main' };
  });
  boundUnreadAnswers(app, ({ headers }) => String(headers['x-client']), most);
  app.get('/text', (_request, reply) => reply.send(LONG));
  app.get('/bytes', (_request, reply) => reply.send(SHARED));
  app.get('/file', (_request, reply) => reply.send(Readable.from([SHARED])));
  app.get('/events', (_request, reply) => reply.type('text/event-stream').send(Readable.from([SHARED])));
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return app.close();
  });

  /** Resolves when the answer has begun; no more of it is read. */
  const ask = async (client: string, path: string, header = 'x-client'): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${header}: ${client}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  };
  return { ask, open };
}

async function readWhole(socket: Socket): Promise<void> {
  let bytes = 0;
  for await (const piece of socket as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONG.length) return;
  }
  assert.fail(`the connection was closed after ${bytes} bytes`);
}

test('attack: a free key asks for long answers on ever more connections and reads none: 64 MiB wait, and those of others stay', async (t) => {
  const { ask, open } = await openServer(t, 3 * LONG.length);
  const other = await ask('other', '/text');
  let last = other;
  for (let n = 0; n < 10; n++) last = await ask('attacker', '/text');
  assert.equal(open.size, 3);
  await readWhole(other);
  await readWhole(last);
});

test('attack: a caller without a key asks for files on ever more connections and reads none: so many are open', async (t) => {
  const { ask, open } = await openServer(t, 3 * FILE_BYTES);
  const other = await ask('other', '/file');
  for (let n = 0; n < 10; n++) await ask('attacker', '/file');
  assert.equal(open.size, 3);
  await readWhole(other);
});

test('attack: a caller without a key asks for long answers from ever more addresses and reads none: those of a key stay', async (t) => {
  const { ask, open } = await openServer(t, 5 * LONG.length);
  for (let n = 0; n < 5; n++) await ask(`address ${n}`, '/text');
  const ofKey = [await ask('a key', '/text', 'x-api-key'), await ask('a key', '/text', 'x-api-key')];
  assert.equal(open.size, 5);
  for (const socket of ofKey) await readWhole(socket);
});

test('what is in memory once, and streams of events, may wait for any number of clients', async (t) => {
  const { ask, open } = await openServer(t, LONG.length);
  for (let n = 0; n < 10; n++) await ask('somebody', n % 2 === 0 ? '/bytes' : '/events');
  assert.equal(open.size, 10);
});
