import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { plainError } from '../errors/index.js';
import type { LimitState } from './ports.js';
import { plentyLeft, startTestServer } from './testing.js';
import { MOST_WAITING } from './waiting-room.js';

const MIB = 1024 * 1024;
const turn = () => new Promise(setImmediate);

test('attack: a free key posts over and over and goes before its calls are counted: no place is kept, and nothing of the room for large bodies', async (t) => {
  let waiting: ((state: LimitState) => void)[] = [];
  let isSlow = true;
  const config = { errorShape: plainError, auth: 'key' } as const;
  const { app } = await startTestServer(
    (server) => {
      server.get('/orders', { config, handler: () => ({ ok: true }) });
      server.post('/orders', { config, handler: () => ({ ok: true }) });
      server.post('/upload', { config, bodyLimit: 5 * MIB, handler: () => ({ ok: true }) });
    },
    {
      limiter: {
        take: () => (isSlow ? new Promise<LimitState>((resolve) => waiting.push(resolve)) : plentyLeft),
      },
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  let closed = 0;
  app.server.on('connection', (socket) => socket.once('close', () => closed++));

  /** So many clients go, each with some of its body sent or all of it, and only then are their calls counted. */
  async function comeAndGo(count: number, path: string, length: number, body: string): Promise<void> {
    closed = 0;
    let refused = 0;
    const key = 'x-api-key: good-key';
    const head = ['host: localhost', key, 'content-type: application/json', `content-length: ${length}`];
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.once('data', () => refused++);
      socket.write([`POST ${path} HTTP/1.1`, ...head, '', body].join('\r\n'));
      return socket;
    });
    while (waiting.length + refused < count) await turn();
    for (const socket of sockets) socket.destroy();
    while (closed < count) await turn();
    const counting = waiting;
    waiting = [];
    for (const resolve of counting) resolve(plentyLeft);
    await turn();
  }

  for (let kept = 0; kept < MOST_WAITING.main / 2; kept += 100) {
    await comeAndGo(50, '/orders', 2, '{}');
    await comeAndGo(50, '/orders', 100, '{');
  }
  await comeAndGo(20, '/upload', 5 * MIB, '{');

  isSlow = false;
  const headers = { 'x-api-key': 'good-key' };
  const answers = [
    await app.inject({ url: '/orders', headers }),
    await app.inject({ method: 'POST', url: '/orders', headers, payload: {} }),
    await app.inject({ method: 'POST', url: '/upload', headers, payload: { image: 'x'.repeat(3 * MIB) } }),
  ];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  );
});

test('a client that goes before an answer that is passed on as it is read is no failure of the service', async (t) => {
  const source = new PassThrough();
  const { app, logged } = await startTestServer((server) => {
    server.post('/chain', {
      config: { errorShape: plainError, auth: 'none' },
      handler: async ({ raw }, reply) => {
        if (!raw.destroyed) await once(raw.socket, 'close');
        return reply.send(source);
      },
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  app.server.once('request', () => setImmediate(() => socket.destroy()));
  socket.write(
    'POST /chain HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
  );
  await once(source, 'close');
  await turn();
  assert.doesNotMatch(logged(), /request failed/);
});
