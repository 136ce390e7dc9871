import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { pino } from 'pino';
import { endConnections } from './closing.js';
import { listen, listenAlso } from './listen.js';
import { AnswerInLine } from './pipelines.js';

const log = pino({ level: 'silent' });
/** As a second address of `localhost`. */
const FURTHER = '127.0.0.2';
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

async function serve(t: TestContext) {
  const app = Fastify({ http: { ServerResponse: AnswerInLine } });
  endConnections(app, log, { eachMs: 5, clientsMs: 0, requestsMs: 60 * 60_000 });
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const begun = new Promise<void>((resolve) => app.addHook('onRequest', async () => resolve()));
  app.get('/', () => held.then(() => ({ ended: true })));
  const port = await listen(app, '127.0.0.1', 0, log);
  const clients: Socket[] = [];
  t.after(() => {
    letGo();
    for (const client of clients) client.destroy();
    return app.close();
  });
  const open = async () => {
    const taken = once(app.server, 'connection');
    const client = connect(port, FURTHER).on('error', () => {});
    clients.push(client);
    await taken;
    return client;
  };
  return { app, port, open, begun, letGo };
}

test('attack: a caller without a key sends nothing to a further address of the host: the service stops in good order without waiting for him', async (t) => {
  const { app, port, open } = await serve(t);
  await listenAlso(app, FURTHER, port, log);
  const ended = once(await open(), 'close');
  await app.close();
  await ended;
  const [refused] = await once(connect(port, FURTHER), 'error');
  assert.equal(refused.code, 'ECONNREFUSED');
});

test('a request that has come by a further address is answered while the server closes, which waits for it', async (t) => {
  const { app, port, open, begun, letGo } = await serve(t);
  await listenAlso(app, FURTHER, port, log);
  const client = await open();
  client.write(REQUEST);
  await begun;
  let isClosed = false;
  const closed = app.close().then(() => {
    isClosed = true;
  });
  await once(app.server, 'close');
  await new Promise(setImmediate);
  assert.equal(isClosed, false);
  letGo();
  assert.match(await text(client), /^HTTP\/1\.1 200 OK[\s\S]*{"ended":true}$/);
  await closed;
});

test('a further address that cannot be listened on leaves the others', async (t) => {
  const { app, port } = await serve(t);
  const other = createServer().listen(port, FURTHER);
  await once(other, 'listening');
  t.after(() => other.close());
  await listenAlso(app, FURTHER, port, log);
  assert.equal((await app.inject({ url: '/none' })).statusCode, 404);
});
