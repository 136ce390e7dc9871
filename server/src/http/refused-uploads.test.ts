import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Fastify, { type FastifyInstance } from 'fastify';
import { plainError } from '../errors/index.js';
import { readOutRefusedUploads } from './refused-uploads.js';
import { startTestServer } from './testing.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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

test('attack: a caller without a key announces bodies and goes before or after he is answered: nothing is kept of his connections', async (t) => {
  const begun: (() => void)[] = [];
  const { app: slow } = await startTestServer((server) => {
    server.addHook('onRequest', (_request, _reply, done) => void begun.push(done));
    server.post('/open', { config: { errorShape: plainError, auth: 'none' }, handler: () => 'never' });
  });
  t.after(() => slow.close());
  await slow.listen({ port: 0, host: '127.0.0.1' });
  const connections: WeakRef<Socket>[] = [];
  let [opened, gone] = [0, 0];
  slow.server.on('connection', (socket) => {
    opened += 1;
    connections.push(new WeakRef(socket));
    socket.once('close', () => {
      gone += 1;
    });
  });
  const CALLERS = 20;
  for (let caller = 0; caller < CALLERS; caller++) {
    const socket = open(slow);
    socket.write(headOf('/open', `content-length: ${MEGABYTES_20.length}`));
    while (begun.length === 0) await new Promise(setImmediate);
    const [answer] = begun.splice(0);
    // Some hear that it is too long, and do not send it.
    const isTold = caller % 2 === 0;
    if (isTold) {
      answer!();
      await readAnswer(socket);
    }
    socket.destroy();
    while (gone <= caller) await new Promise(setImmediate);
    if (!isTold) answer!();
  }
  // What was just used may be held for a turn of the event loop.
  const held = () => connections.filter((each) => each.deref() !== undefined).length;
  for (let turn = 0; turn < 50 && held() > 1; turn++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  assert.ok(opened === CALLERS && held() <= 1, `${held()} of ${opened} are held`);
});

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
