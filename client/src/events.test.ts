import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient, type EventsOptions } from './index.js';

/** A service that answers each stream in turn, and what each asked to go on from. */
async function serving(...answers: ((response: ServerResponse) => void)[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    (answers.shift() ?? ((last) => last.writeHead(410).end('{"error":"no longer kept"}')))(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, attempts: 2 });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { client, asked, close };
}

const frame = (number: number) =>
  `id: ${number}\nevent: launch.created\ndata: {"number":${number},"kind":"launch.created"}\n\n`;
/** A stream of these pieces, which then ends or, with `isBroken`, breaks. */
const streaming =
  (pieces: string[], { isBroken = false } = {}) =>
  async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    if (isBroken) response.destroy();
    else response.end();
  };
const refusing =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end('{"error":"no"}');

/** The numbers of all events, until the stream says that it is gone. */
async function numbersOf({ client, close }: Awaited<ReturnType<typeof serving>>, options: EventsOptions = {}) {
  const numbers: number[] = [];
  const reading = async () => {
    for await (const { number } of client.events(options)) numbers.push(number);
  };
  await assert.rejects(reading, { name: 'SlipwayError', code: 'gone', status: 410 });
  close();
  return numbers;
}

test('a stream goes on where it was, whatever it ended or broke by', async () => {
  const [head, tail] = [frame(6).slice(0, 20), frame(6).slice(20)];
  const service = await serving(
    streaming(['retry: 0\nid: 4\n\n', frame(5), head], { isBroken: true }),
    refusing(503, { 'retry-after': '0' }),
    (response) => response.destroy(),
    refusing(429, { 'retry-after': '0' }),
    // A filter left out 7 and 8.
    streaming(['retry: 0\nid: 5\n\n', head, tail, 'id: 8\n\n', ':\n\n']),
    streaming(['retry: 0\nid: 8\n\n', frame(8), frame(9)]),
  );
  const opened: number[] = [];
  assert.deepEqual(await numbersOf(service, { onOpen: (after) => opened.push(after) }), [5, 6, 9]);
  assert.deepEqual(service.asked, [undefined, '5', '5', '5', '5', '8', '9']);
  assert.deepEqual(opened, [4, 5, 8]);
});

test('characters and events may come in pieces', async () => {
  const bytes = Buffer.from(frame(1).replace('"kind"', '"text":"é€🎈","kind"'));
  const service = await serving((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (at: number) => {
      if (at === bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
    };
    next(0);
  });
  for await (const event of service.client.events({ after: 0 })) {
    assert.equal((event as unknown as { text: string }).text, 'é€🎈');
    break;
  }
  assert.deepEqual(service.asked, ['0']);
  service.close();
});

test('what cannot begin ends: at once where asking again is of no use, else after some attempts', async () => {
  for (const [answers, code, asked] of [
    [[refusing(401)], 'unauthorized', 1],
    [[refusing(503, { 'retry-after': '0' }), refusing(503, { 'retry-after': '0' })], 'unavailable', 2],
    [[(response: ServerResponse) => response.writeHead(200).end('<html>')], 'not_slipway', 1],
    [[streaming(['id: 1\ndata: <html>\n\n'])], 'not_slipway', 1],
  ] as const) {
    const service = await serving(...answers);
    await assert.rejects(service.client.events().next(), { code });
    assert.equal(service.asked.length, asked);
    service.close();
  }
});

test('an abort ends the stream, also while it waits to connect again', async () => {
  const stop = new AbortController();
  const service = await serving(streaming(['id: 1\n\n', frame(2), frame(3)], { isBroken: true }), (response) => {
    // Not before it has asked again, however long that takes.
    response.once('finish', () => setTimeout(() => stop.abort(), 200));
    refusing(429, { 'retry-after': '3600' })(response);
  });
  const numbers: number[] = [];
  for await (const { number } of service.client.events({ signal: stop.signal })) {
    numbers.push(number);
  }
  assert.deepEqual(numbers, [2, 3]);
  assert.deepEqual(service.asked, [undefined, '3']);
  for await (const _ of service.client.events({ signal: AbortSignal.abort() })) assert.fail('aborted before it began');
  service.close();
});

test('attack: a lying service sends an event without end in small pieces: each is read once, and no more than 4 MiB of them', async () => {
  const piece = new Uint8Array(32).fill(97);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
  const headers = { 'content-type': 'text/event-stream' };
  const client = createClient({ url: 'http://service.test', fetch: async () => new Response(body, { headers }) });
  await assert.rejects(client.events().next(), { code: 'not_slipway' });
});

test('events arrive whole, however their bytes come apart', async () => {
  const bytes = new TextEncoder().encode(`id: 0\n\n${frame(1)}:\n\n\n${frame(2)}${frame(3)}`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + size));
        at += size;
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    const client = createClient({ url: 'http://service.test', fetch: async () => new Response(body, { headers }) });
    const numbers: number[] = [];
    for await (const { number } of client.events()) if (numbers.push(number) === 3) break;
    assert.deepEqual(numbers, [1, 2, 3]);
  }
});

test('a reader that leaves closes its connection', async () => {
  let closed: Promise<unknown> | undefined;
  const service = await serving((response) => {
    closed = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`id: 0\n\n${frame(1)}`);
  });
  for await (const { number } of service.client.events()) {
    assert.equal(number, 1);
    break;
  }
  await closed;
  service.close();
});

test('a stream ends with its reader where the call no longer hears of an abort', async () => {
  let cancelled = 0;
  const forgetful: typeof fetch = async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(frame(1))),
      cancel: () => void cancelled++,
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = createClient({ url: 'http://service.test', fetch: forgetful });
  for await (const { number } of client.events()) {
    assert.equal(number, 1);
    break;
  }
  assert.equal(cancelled, 1);
  const stop = new AbortController();
  for await (const _ of client.events({ signal: stop.signal })) setTimeout(() => stop.abort(), 10);
  assert.equal(cancelled, 2);
});
