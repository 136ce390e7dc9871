import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { pino } from 'pino';
import { steadyNow } from '../lib/clock.js';
import { endConnections } from './closing.js';
import { AnswerInLine } from './pipelines.js';

const log = pino({ level: 'silent' });
/** More than systems take for a client that does not read. */
const MANY_BYTES = 64 * 1024 * 1024;
const AN_HOUR_MS = 60 * 60_000;

/** A server that gives clients no time, and requests under way as much as is said. */
async function serve(t: TestContext, requestsMs: number, clientsMs = 0, now = steadyNow) {
  const app = Fastify({ http: { ServerResponse: AnswerInLine } });
  endConnections(app, log, { eachMs: 5, clientsMs, requestsMs }, now);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const begun: string[] = [];
  app.addHook('onRequest', async ({ url }) => void begun.push(url));
  app.get('/held', () => held.then(() => ({ ended: true })));
  app.get('/large', () => Buffer.alloc(MANY_BYTES));
  app.get('/held-large', () => held.then(() => Buffer.alloc(MANY_BYTES)));
  app.post('/body', () => ({ ended: true }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const clients: Socket[] = [];
  t.after(() => {
    letGo();
    for (const client of clients) client.destroy();
    return app.close();
  });
  /** Connects and sends it; resolves once the server has read all of it, and begun a request if it is one. */
  const send = async (bytes: string) => {
    const accepted = once(app.server, 'connection');
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    clients.push(client);
    const [socket] = (await accepted) as [Socket];
    const before = begun.length;
    client.write(bytes);
    const isBegun = () => !bytes.includes('\r\n\r\n') || begun.length > before;
    while (socket.bytesRead < bytes.length || !isBegun()) await new Promise(setImmediate);
    return client;
  };
  return { app, send, letGo };
}

/** How much somebody receives until the connection ends. */
async function lengthOf(reader: Socket): Promise<number> {
  let received = 0;
  for await (const chunk of reader) received += (chunk as Buffer).length;
  return received;
}

const head = (line: string, ...more: string[]) => `${[line, 'host: localhost', ...more].join('\r\n')}\r\n`;

test('attack: a caller without a key sends nothing, half a request, or does not read: the service stops in good order without waiting for him', async (t) => {
  const { app, send } = await serve(t, AN_HOUR_MS);
  await send('');
  await send(head('GET /held HTTP/1.1'));
  await send(`${head('POST /body HTTP/1.1', 'content-type: application/json', 'content-length: 100')}\r\n{`);
  await send(`${head('GET /large HTTP/1.1')}\r\n`);
  await app.close();
});

test('a request that has come whole is answered while the server closes, and connections that only wait end before', async (t) => {
  const { app, send, letGo } = await serve(t, AN_HOUR_MS);
  const silent = await send('');
  const ended = once(silent, 'close');
  const working = await send(`${head('GET /held HTTP/1.1')}\r\n`);
  const closed = app.close();
  await ended;
  letGo();
  assert.match(await text(working), /^HTTP\/1\.1 200 OK[\s\S]*{"ended":true}$/);
  await closed;
});

test('a request that does not end holds up the close of the server for as long as requests may take', async (t) => {
  const { app, send } = await serve(t, 0);
  await send(`${head('GET /held HTTP/1.1')}\r\n`);
  await app.close();
});

test('an answer that is still being read when the server begins to close is read to its end, and a connection that has had its own ends', async (t) => {
  const { app, send } = await serve(t, AN_HOUR_MS, AN_HOUR_MS);
  const reader = await send(`${head('GET /large HTTP/1.1')}\r\n`);
  reader.pause();
  const idle = await send(`${head('POST /body HTTP/1.1', 'content-length: 0')}\r\n`);
  await once(idle, 'data');
  const ended = once(idle, 'close');
  const closed = app.close();
  await ended;
  assert.ok((await lengthOf(reader)) > MANY_BYTES);
  await closed;
});

test('an answer that is ready late in the close has as long to be read as one that was ready before', async (t) => {
  let time = 0;
  const { app, send, letGo } = await serve(t, AN_HOUR_MS, 5_000, () => time);
  const looks = () => delay(25);
  const reader = await send(`${head('GET /held-large HTTP/1.1')}\r\n`);
  reader.pause();
  const closed = app.close();
  time = 12_000;
  await looks();
  letGo();
  await looks();
  time = 16_000;
  await looks();
  assert.ok((await lengthOf(reader)) > MANY_BYTES);
  await closed;
});
