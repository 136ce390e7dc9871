import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { plainError } from '../errors/index.js';
import type { ApiKey, Limiter } from './ports.js';
import { plentyLeft, startTestServer } from './testing.js';

const MIB = 1024 * 1024;
const LIMIT = 5 * MIB;
/** What large bodies have together. */
const ROOM = 64 * MIB;

async function startUploads(t: TestContext, limiter: Limiter = { take: () => plentyLeft }) {
  const keyOf = (id: string): ApiKey => ({
    id,
    tier: id === 'operator' ? 'unlimited' : 'free',
    prefixes: [],
    origins: [],
  });
  const seen = { bytes: 0 };
  const { app } = await startTestServer(
    (server) => {
      void server.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
          seen.bytes += body.length;
          done(null, body);
        });
        const keyed = { errorShape: plainError, auth: 'key', bucket: 'execute', paysForBody: 'upload' } as const;
        const open = { errorShape: plainError, auth: 'none', paysForBody: 'upload' } as const;
        scope.post('/upload', { config: keyed, bodyLimit: LIMIT, handler: () => ({ ok: true }) });
        scope.put('/signed', { config: open, bodyLimit: LIMIT, handler: () => ({ ok: true }) });
      });
      const json = { errorShape: plainError, auth: 'key', bucket: 'execute', paysForBody: 'json' } as const;
      server.post('/texts', { config: json, bodyLimit: 256 * 1024, handler: () => ({ ok: true }) });
      server.post('/order', { config: { errorShape: plainError, auth: 'key' }, handler: () => ({ ok: true }) });
    },
    { keys: keyOf, limiter },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  return { app, seen, port: (app.server.address() as AddressInfo).port };
}

/** Begins an upload of which the last byte never comes; the status, where there is an answer. */
class Upload {
  readonly socket: Socket;
  status: number | undefined;
  constructor(port: number, path: string, key: string, bytes: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.on('data', (data) => {
      this.status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]);
    });
    const method = path === '/signed' ? 'PUT' : 'POST';
    const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', `x-api-key: ${key}`, `content-length: ${bytes}`];
    this.socket.write([...head, 'content-type: image/png', '', ''].join('\r\n'));
  }
}

type Started = Awaited<ReturnType<typeof startUploads>>;

/** The status of an order with a small body, which comes after what was begun before it. */
const order = async ({ app }: Started, key: string) =>
  (await app.inject({ method: 'POST', url: '/order', headers: { 'x-api-key': key }, payload: {} })).statusCode;
const small = async ({ app }: Started, key: string) => {
  const headers = { 'x-api-key': key, 'content-type': 'image/png' };
  return (await app.inject({ method: 'POST', url: '/upload', headers, payload: Buffer.alloc(1_000) })).statusCode;
};

/** Resolves when each of these is answered, or has got in. */
async function settle(uploads: readonly Upload[], admitted: number): Promise<number[]> {
  for (;;) {
    const answered = uploads.flatMap(({ status }) => status ?? []);
    if (answered.length === uploads.length - admitted) return answered;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('attack: a free key uploads a hundred large bodies at once: 32 MiB of them are taken, and others upload and order', async (t) => {
  const started = await startUploads(t);
  const most = Math.floor(ROOM / 2 / LIMIT);
  const one = Array.from({ length: 100 }, () => new Upload(started.port, '/upload', 'one', LIMIT));
  assert.ok((await settle(one, most)).every((status) => status === 429));
  assert.deepEqual([await small(started, 'one'), await order(started, 'one')], [200, 200]);
  assert.deepEqual([await small(started, 'other'), await order(started, 'other')], [200, 200]);
  const two = Array.from({ length: 100 }, () => new Upload(started.port, '/upload', 'two', LIMIT));
  await settle(two, 3);
  assert.equal(await small(started, 'other'), 200);
  // The operator's own has what there is.
  const own = Array.from({ length: 20 }, () => new Upload(started.port, '/upload', 'operator', LIMIT));
  assert.ok((await settle(own, Math.floor(ROOM / LIMIT) - most - 3)).every((status) => status === 503));
  assert.equal(await order(started, 'other'), 200);
  // Whoever goes leaves room.
  for (const { socket } of [...one, ...two, ...own]) socket.destroy();
  const again = Array.from({ length: most }, () => new Upload(started.port, '/upload', 'one', LIMIT));
  while (again.some(({ status }) => status !== undefined)) await settle(again, most);
  for (const { socket } of again) socket.destroy();
});

test('attack: a caller without a key sends signed uploads over and over: each 256 KiB counts as one of its calls', async (t) => {
  const counted = new Map<string, number>();
  const limiter: Limiter = {
    take(id, bucket, _tier, weight = 1) {
      const name = `${id} ${bucket}`;
      const before = counted.get(name) ?? 0;
      const granted = Math.min(weight, 50 - before);
      counted.set(name, before + granted);
      return { ...plentyLeft, allowed: granted === weight };
    },
  };
  const { app, seen } = await startUploads(t, limiter);
  const put = async (bytes: number, remoteAddress: string) => {
    const headers = { 'content-type': 'image/png' };
    const answer = await app.inject({
      method: 'PUT',
      url: '/signed',
      headers,
      payload: Buffer.alloc(bytes),
      remoteAddress,
    });
    return answer.statusCode;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push(await put(LIMIT, '203.0.113.1'));
  assert.deepEqual(statuses, [200, 200, 429, 429, 429]);
  assert.equal(seen.bytes, 2 * LIMIT, 'no more was read');
  assert.equal(await put(1_000, '203.0.113.2'), 200);
  assert.equal(counted.get('keyless 203.0.113.2 execute'), 1);
  const headers = { 'x-api-key': 'one', 'content-type': 'image/png' };
  const posted = await app.inject({ method: 'POST', url: '/upload', headers, payload: Buffer.alloc(LIMIT) });
  assert.equal(posted.statusCode, 200);
  assert.equal(counted.get('one execute'), LIMIT / (256 * 1024));
});

test('attack: a free key posts as much JSON as it may: each 64 KiB counts as one of its calls, before it is read', async (t) => {
  const weights: number[] = [];
  const limiter: Limiter = {
    take(_id, _bucket, _tier, weight = 1) {
      weights.push(weight);
      return plentyLeft;
    },
  };
  const { app } = await startUploads(t, limiter);
  const headers = { 'x-api-key': 'one', 'content-type': 'application/json' };
  const post = async (bytes: number) => {
    const payload = JSON.stringify({ text: 'a'.repeat(bytes - '{"text":""}'.length) });
    return (await app.inject({ method: 'POST', url: '/texts', headers, payload })).statusCode;
  };
  assert.deepEqual([await post(64 * 1024), await post(64 * 1024 + 1), await post(256 * 1024)], [200, 200, 200]);
  assert.deepEqual(weights, [1, 1, 1, 1, 3]);
});
