import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { expressError } from '../areas/express/error-shape.js';
import { triggerV1Error } from '../areas/trigger-v1/error-shape.js';
import { plainError } from '../errors/index.js';
import { SignerRefused } from '../signer/index.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { startTestServer, type TestServer } from './testing.js';

let server: TestServer;
let app: FastifyInstance;
let port: number;
const open = { errorShape: plainError, auth: 'none' } as const;

before(async () => {
  server = await startTestServer((instance) => {
    instance.get('/thing', { config: open, handler: () => ({ ok: true }) });
    instance.post('/free', { config: open, handler: (request) => ({ got: request.body ?? 'nothing' }) });
    const body = Type.Object({ owner: Type.String() });
    instance.post('/express', {
      config: { errorShape: expressError, auth: 'none' },
      schema: { body },
      handler: (request) => ({ got: request.body }),
    });
    instance.get('/broken', {
      config: { errorShape: triggerV1Error, auth: 'none' },
      // The answer must keep the area's shape whatever schema the route declares for its status.
      schema: { response: { 500: Type.Object({ other: Type.String() }) } },
      handler: () => {
        throw new Error('password=hunter2 at /srv/secret/path');
      },
    });
    instance.get('/unsigned', {
      config: open,
      handler: () => {
        throw new SignerRefused('vault:someone', 'tokens go elsewhere');
      },
    });
    instance.get('/odd', {
      config: open,
      handler: () => {
        throw Object.assign(new Error('from upstream'), { statusCode: 404 });
      },
    });
  });
  app = server.app;
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
after(() => app.close());

const post = (url: string, payload: string, type = 'application/json') =>
  app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload });

/** Sends bytes as they are and returns all that comes back until the connection closes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

test('what the signer does not sign is refused by its own words, and nothing is told of keys and policies', async () => {
  const answer = await app.inject({ url: '/unsigned' });
  const message = 'The signer of the service does not sign this: nothing was sent';
  assert.deepEqual([answer.statusCode, answer.json()], [403, { error: message }]);
  assert.equal(answer.headers['retry-after'], undefined);
});

test('an unknown path, another method and a trailing slash are 404 in the shape of the gateway', async () => {
  const cases = [
    ['GET', '/nothing', 'Cannot GET:/nothing'],
    ['GET', '/thing/', 'Cannot GET:/thing/. Did you mean /thing?'],
    ['GET', '/Thing', 'Cannot GET:/Thing. Did you mean /thing?'],
    ['GET', '//thing', 'Cannot GET://thing. Did you mean /thing?'],
    ['POST', '/thing', 'Cannot POST:/thing. This path takes GET'],
    ['PUT', '/thing?token=secret', 'Cannot PUT:/thing. This path takes GET'],
    ['OPTIONS', '/thing', 'Cannot OPTIONS:/thing. This path takes GET'],
  ] as const;
  for (const [method, url, message] of cases) {
    const answer = await app.inject({ method, url });
    assert.equal(answer.statusCode, 404, `${method} ${url}`);
    assert.deepEqual(answer.json(), { code: 404, message });
  }
  assert.equal((await app.inject({ method: 'HEAD', url: '/thing' })).statusCode, 404);
});

test('a path that is no path is 400, an endless one 404', async () => {
  const bad = await app.inject({ url: '/%zz' });
  assert.equal(bad.statusCode, 400);
  assert.deepEqual(bad.json(), { code: 400, message: 'The path is not a valid URL path' });
  assert.ok(bad.headers[REQUEST_ID_HEADER]);
  const long = await app.inject({ url: `/${'x'.repeat(5000)}` });
  assert.equal(long.statusCode, 404);
  assert.ok(long.body.length < 400);
});

test('methods that nobody serves are 404 too', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'LOCK']) {
    const answer = await raw(`${method} /thing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, method);
    assert.match(answer, /x-api-gateway-request-id: \S+/, method);
  }
});

test('a body over the limit is 413 in the shape of the area, announced or not', async () => {
  const answer = await post('/express', JSON.stringify({ owner: 'x'.repeat(16 * 1024) }));
  assert.equal(answer.statusCode, 413);
  assert.equal(answer.json().message, 'The request body is too large: expected at most 16384 bytes');
  assert.equal(answer.json().status, 413);
  assert.equal(answer.json().code, 'PAYLOAD_TOO_LARGE');

  const chunk = 'x'.repeat(64 * 1024);
  const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(17);
  const head = 'POST /express HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  const streamed = await raw(`${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n${chunked}0\r\n\r\n`);
  assert.match(streamed, /^HTTP\/1\.1 413 /);
});

test('any content type but JSON is 415', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ]) {
    const answer = await post('/express', 'owner=x', type);
    assert.equal(answer.statusCode, 415, type);
    assert.equal(answer.json().code, 'UNSUPPORTED_MEDIA_TYPE');
  }
  assert.equal((await post('/express', '{"owner":"x"}', 'application/json; charset=utf-8')).statusCode, 200);
});

test('a body that is not JSON, or not an object, is 400 and its text is not repeated', async () => {
  for (const payload of ['{', '{"owner":', 'hunter2', '"hunter2', '{"owner":"x"}}', '\u0000', "{'owner':'x'}", 'NaN']) {
    const answer = await post('/express', payload);
    assert.equal(answer.statusCode, 400, payload);
    assert.equal(answer.json().message, 'The body is not valid JSON');
  }
  for (const payload of ['null', '5', '[]', '"x"', '']) {
    const answer = await post('/express', payload);
    assert.equal(answer.statusCode, 400, payload);
    assert.equal(answer.json().message, 'body: expected an object');
  }
});

test('a JSON content type without a body is no error where a route takes none', async () => {
  const answer = await post('/free', '');
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json(), { got: 'nothing' });
});

test('attack: a free key sends JSON whose names would reach a prototype: refused', async () => {
  for (const payload of ['{"owner":"x","__proto__":{"a":1}}', '{"owner":"x","constructor":{"prototype":{"a":1}}}']) {
    const answer = await post('/express', payload);
    assert.equal(answer.statusCode, 400, payload);
    assert.equal(answer.json().message, 'The body is not valid JSON');
  }
  assert.equal(Object.hasOwn(Object.prototype, 'a'), false);
});

test('attack: a free key sends JSON that is nested too deep: refused before it is parsed, whatever its strings hold', async () => {
  const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);
  const refused = [
    nested(17),
    nested(5_000),
    '['.repeat(16_000),
    '{"a":'.repeat(17),
    `{"a":"\\"","deep":${nested(16)}}`,
  ];
  for (const payload of [...refused, `["\\\\",${nested(16)}]`]) {
    const answer = await post('/express', payload);
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().message, 'body: expected JSON that is nested at most 16 levels deep', payload);
  }
  const brackets = JSON.stringify(`${'[{'.repeat(100)}"\\`);
  for (const payload of [`{"owner":"x","deep":${nested(15)}}`, `{"owner":${brackets},"list":[${nested(14)},{}]}`]) {
    assert.equal((await post('/express', payload)).statusCode, 200, payload);
  }
});

test('attack: a free key sends JSON of ever so many tiny pieces: refused before it is parsed, whatever its strings hold', async () => {
  const pieces = (count: number, piece: string) => `{"owner":"x","list":[${Array(count).fill(piece).join(',')}]}`;
  for (const payload of [pieces(2_100, '{}'), pieces(4_100, '1')]) {
    const answer = await post('/express', payload);
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().message, 'body: expected JSON of at most 4000 pieces');
  }
  for (const payload of [pieces(3_900, '1'), JSON.stringify({ owner: '{},'.repeat(5_000) })]) {
    assert.equal((await post('/express', payload)).statusCode, 200);
  }
});

test('an unexpected exception is 500 in the shape of the area, without its text, and logged with its request id', async () => {
  const answer = await app.inject({ url: '/broken' });
  assert.equal(answer.statusCode, 500);
  assert.deepEqual(answer.json(), { error: 'Internal error', code: 500 });
  const line = server
    .logged()
    .split('\n')
    .find((text) => text.includes('"request failed"') && text.includes(String(answer.headers[REQUEST_ID_HEADER])));
  assert.ok(line?.includes('hunter2'), 'the operator must find the reason in the log');

  const odd = await app.inject({ url: '/odd' });
  assert.equal(odd.statusCode, 500, 'the status of an upstream error is not ours');
  assert.equal(odd.body.includes('upstream'), false);
});

test('every answer carries a request id of its own', async () => {
  const answers = await Promise.all([
    app.inject({ url: '/thing' }),
    app.inject({ url: '/thing' }),
    app.inject({ url: '/nothing' }),
    app.inject({ url: '/broken' }),
    app.inject({ url: '/%zz' }),
    app.inject({ url: '/docs' }),
    app.inject({ url: '/openapi.json' }),
    app.inject({ url: '/livez', headers: { [REQUEST_ID_HEADER]: 'chosen-by-client' } }),
    post('/express', '{'),
    post('/express', 'x', 'text/plain'),
    app.inject({
      method: 'OPTIONS',
      url: '/thing',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' },
    }),
  ]);
  const ids = answers.map(({ headers }) => headers[REQUEST_ID_HEADER]);
  for (const id of ids) assert.match(String(id), /^[0-9a-z]+-[0-9a-z]+$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('attack: a caller without a key sends bytes that are no HTTP, or headers without end: answered, and the connection is closed', async () => {
  const garbage = await raw('hunter2 hunter2\r\n\r\n');
  assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(garbage, /x-api-gateway-request-id: \S+\r\n/);
  assert.match(garbage, /\{"code":400,"message":"The bytes received are not an HTTP request"\}$/);
  const endless = await raw(`GET /thing HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.match(endless, /^HTTP\/1\.1 431 /);
  assert.match(endless, /\{"code":431,/);
});

test('a route that does not say its auth and error shape cannot be registered', async () => {
  await assert.rejects(
    startTestServer((instance) => {
      instance.get('/forgotten', () => ({}));
    }),
    /does not say its auth and its errorShape/,
  );
});

test('the limits on headers and bodies hold to the second', async () => {
  const { app: limited } = await startTestServer(() => {});
  // Node looks for connections beyond its limits only so often; a member that its types leave out.
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = limited.server as Server & {
    connectionsCheckingInterval: number;
  };
  assert.deepEqual([headersTimeout, requestTimeout, connectionsCheckingInterval], [15_000, 60_000, 1_000]);
  await limited.close();
});

test('closing lets the request under way finish', async () => {
  let finish = (): void => {};
  let entered = (): void => {};
  const inHandler = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const { app: closing } = await startTestServer((instance) => {
    instance.get('/slow', {
      config: open,
      handler: async () => {
        entered();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { done: true };
      },
    });
  });
  const url = await closing.listen({ port: 0, host: '127.0.0.1' });
  const answer = fetch(`${url}/slow`);
  await inHandler;
  const closed = closing.close();
  finish();
  const arrived = await answer;
  assert.deepEqual(await arrived.json(), { done: true });
  await closed;
  await assert.rejects(fetch(`${url}/livez`));
});

test('attack: a caller without a key opens more connections than there may be files: those that are open are served, and the log says so', async () => {
  const { length } = server.logged();
  // As Node tells of a connection that the system does not give it.
  app.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  assert.equal((await app.inject('/thing')).statusCode, 200);
  assert.match(JSON.stringify(server.logged().slice(length)), /could not be taken/);
});
