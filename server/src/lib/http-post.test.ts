import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createHttpPost } from './http-post.js';
import { readBody } from './read-body.js';
import { PATIENCE_MS } from './testing.js';

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections++;
  });
  // A connection stays open however long a busy machine lets this process stand still.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close().closeAllConnections());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?key=1`);
  return { url, connections: () => connections };
}

const never = new AbortController().signal;
const post = (url: URL, { body = '', signal = never, send = createHttpPost() } = {}) =>
  send(url, { headers: { 'content-type': 'application/json' }, body, signal });

it('posts one request after the other on one connection', async (t) => {
  const { url, connections } = await serve(t, (request, response) => {
    response.setHeader('x-path', `${request.method} ${request.url} ${request.headers['content-type']}`);
    request.pipe(response);
  });
  const send = createHttpPost(undefined, { idleMs: PATIENCE_MS });
  for (const body of ['{"amount":1}', 'é']) {
    const answer = await post(url, { body, send });
    assert.equal(answer.headers.get('x-path'), 'POST /path?key=1 application/json');
    assert.equal(answer.headers.get('retry-after'), null);
    assert.equal(await readBody(answer, 100), body);
  }
  assert.equal(connections(), 1);
});

it('unpacks an answer, and cuts off one that is too long when it is unpacked', async (t) => {
  const { url } = await serve(t, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(1 << 20, ' ')));
  });
  assert.equal((await readBody(await post(url), 1 << 20)).length, 1 << 20);
  await assert.rejects(
    post(url).then((answer) => readBody(answer, 1 << 19)),
    { name: 'BodyTooLong' },
  );
});

it('does not follow a redirect', async (t) => {
  const { url } = await serve(t, (_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  assert.equal((await post(url)).status, 307);
});

it('ends with its signal, before the answer and within it', async (t) => {
  let controller = new AbortController();
  const { url } = await serve(t, (request, response) => {
    request.resume();
    if (request.headers['content-length'] !== '0') response.write('{');
    else controller.abort();
  });
  await assert.rejects(post(url, { signal: controller.signal }), { name: 'AbortError' });
  controller = new AbortController();
  const answer = await post(url, { body: 'half', signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(readBody(answer, 100));
});

it('goes on where an answer is given up unread that is no gzip as it says', async (t) => {
  const { url } = await serve(t, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '10' }).end('0123456789');
  });
  const controller = new AbortController();
  const { body } = await post(url, { signal: controller.signal });
  const closed = new Promise((resolve) => (body as Readable).once('close', resolve));
  controller.abort();
  await closed;
});

it('says when a connection breaks, before the answer and within it', async (t) => {
  const { url } = await serve(t, (request, response) => {
    request.resume();
    if (request.headers['content-length'] === '0') return request.socket.destroy();
    response.writeHead(200, { 'content-length': '100' });
    response.write('{', () => request.socket.destroy());
  });
  await assert.rejects(post(url));
  await assert.rejects(post(url, { body: 'half' }).then((answer) => readBody(answer, 1_000)));
});

it('says when the other side switches to another protocol instead of answering', async (t) => {
  const { url } = await serve(t, (request) => {
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
  });
  await assert.rejects(post(url), /another protocol/);
});
