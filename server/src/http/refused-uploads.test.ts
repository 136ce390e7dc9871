import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { plainError } from '../errors/index.js';
import { readOutRefusedUploads } from './refused-uploads.js';
import { startTestServer } from './testing.js';

const MIB = 1024 * 1024;
const MEGABYTES_20 = Buffer.alloc(20 * MIB, 'x');

let app: FastifyInstance;
before(async () => {
  ({ app } = await startTestServer((server) => {
    server.post('/open', { config: { errorShape: plainError, auth: 'none' }, handler: () => 'never' });
    server.post('/keyed', { config: { errorShape: plainError, auth: 'key' }, handler: () => 'never' });
  }));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => app.close());

function open(server: FastifyInstance): Socket {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

const headOf = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...headers, '', ''].join('\r\n');

/** Sends everything before it reads anything, as blocking clients do. Rejects if the connection breaks meanwhile. */
async function sendAll(socket: Socket, ...parts: (string | Buffer)[]): Promise<void> {
  for (const part of parts) {
    await new Promise<void>((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())));
  }
}

async function readAnswer(socket: Socket): Promise<string> {
  const [chunk] = await once(socket.resume(), 'data');
  socket.pause();
  return String(chunk);
}

test('a client that reads only when it has sent all of a large body gets its answer', async () => {
  const length = `content-length: ${MEGABYTES_20.length}`;
  for (const [path, header, status] of [
    ['/open', 'x-api-key: good-key', 413],
    ['/open', 'connection: close', 413],
    ['/keyed', 'x-api-key: nobody', 401],
    ['/nowhere', 'accept: */*', 413],
  ] as const) {
    const socket = open(app);
    await sendAll(socket, headOf(path, length, header), MEGABYTES_20);
    assert.match(await readAnswer(socket), new RegExp(`^HTTP/1\\.1 ${status} `), `${path} ${header}`);
    if (header === 'connection: close') await once(socket.resume(), 'end');
    else {
      await sendAll(socket, 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
      assert.match(await readAnswer(socket), /^HTTP\/1\.1 200 /, 'the connection can be used again');
    }
    socket.destroy();
  }
});

test('so does one that sends it in chunks', async () => {
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), MEGABYTES_20.subarray(0, MIB), Buffer.from('\r\n')]);
  const socket = open(app);
  await sendAll(socket, headOf('/open', 'transfer-encoding: chunked'), ...Array(20).fill(chunk), '0\r\n\r\n');
  assert.match(await readAnswer(socket), /^HTTP\/1\.1 413 /);
  socket.destroy();
});

/** A server that refuses before it reads, and never ends a slow request by itself. */
async function smallServer(bound: { bytes: number; ms: number }): Promise<FastifyInstance> {
  const server = Fastify({ requestTimeout: 0 });
  readOutRefusedUploads(server, bound);
  server.addHook('onRequest', async (_request, reply) => reply.code(401).send('refused'));
  server.post('/', () => 'never');
  await server.listen({ port: 0, host: '127.0.0.1' });
  return server;
}

test('attack: a caller without a key sends a body that does not end: cut off beyond the bound of bytes, or of time', {
  timeout: 120_000,
}, async () => {
  const byBytes = await smallServer({ bytes: MIB, ms: 3_600_000 });
  const endless = open(byBytes);
  await sendAll(endless, headOf('/', 'content-length: 99999999999'));
  assert.match(await readAnswer(endless), /^HTTP\/1\.1 401 /);
  await assert.rejects(sendAll(endless, ...Array(20).fill(MEGABYTES_20)));
  await byBytes.close();

  const byTime = await smallServer({ bytes: 1e12, ms: 20 });
  const silent = open(byTime);
  await sendAll(silent, headOf('/', 'content-length: 99999999999'));
  assert.match(await readAnswer(silent), /^HTTP\/1\.1 401 /);
  await once(silent.resume(), 'close');
  await byTime.close();
});

test('closing the server does not wait for a refused upload', { timeout: 120_000 }, async () => {
  const server = await smallServer({ bytes: 1e12, ms: 3_600_000 });
  const socket = open(server);
  await sendAll(socket, headOf('/', 'content-length: 99999999999'));
  assert.match(await readAnswer(socket), /^HTTP\/1\.1 401 /);
  const closed = once(socket.resume(), 'close');
  await server.close();
  await closed;
});
