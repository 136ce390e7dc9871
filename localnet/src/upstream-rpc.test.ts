import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { ChainError } from './chain-error.js';
import { createUpstreamRpc } from './upstream-rpc.js';

const SECRET = 'k3y-of-the-operator';
const DEFAULT_TIMEOUT_MS = 10_000;

/** A node that answers the slot 5 where `trouble` does not answer itself and say true. */
async function startNode(t: TestContext, trouble: (response: ServerResponse, callNumber: number) => boolean) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      calls += 1;
      if (!trouble(response, calls)) response.end('{"jsonrpc":"2.0","id":1,"result":5}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { calls: () => calls, host, url: `http://${host}/v2/${SECRET}?api-key=${SECRET}` };
}

/**
 * A client that notes how long it would have waited instead of waiting. What it asks after the first `hurried` times has all
 * the time that it needs: a machine that stands still takes longer than a short timeout.
 */
function connect(url: string, timeoutMs = DEFAULT_TIMEOUT_MS, hurried = Number.POSITIVE_INFINITY) {
  const waits: number[] = [];
  const lines: string[] = [];
  let asked = 0;
  const asking: typeof fetch = (input, init) => {
    asked += 1;
    return fetch(input, asked <= hurried ? init : { ...init, signal: null });
  };
  const log = (line: string) => lines.push(line);
  const rpc = createUpstreamRpc({ url, log, sleep: async (ms) => waits.push(ms), fetch: asking });
  return { getSlot: () => rpc.call('getSlot', [], timeoutMs), asked: () => asked, waits, lines };
}

/** Asserts an upstream failure that names the host and nothing else of the URL, also when it is printed whole. */
function assertUpstreamError(error: unknown, host: string, text: RegExp): true {
  assert.ok(error instanceof ChainError);
  assert.equal(error.kind, 'upstream');
  assert.match(error.message, text);
  assert.ok(error.message.includes(host), error.message);
  assert.ok(!inspect(error).includes(SECRET), inspect(error));
  return true;
}

test('attack: a node answers a fork without end: cut off after 128 MiB, and not asked again', async (t) => {
  const block = Buffer.alloc(1 << 20, ' ');
  let sent = 0;
  const { calls, host, url } = await startNode(t, (response) => {
    const write = () => {
      while (!response.destroyed && sent < 300 << 20) {
        sent += block.length;
        if (!response.write(block)) {
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
    return true;
  });
  const { getSlot } = connect(url, 300_000);
  await assert.rejects(getSlot(), (error) => assertUpstreamError(error, host, /more than 134217728 bytes/));
  assert.equal(calls(), 1);
  // What the sockets of both ends hold comes on top.
  assert.ok(sent < 160 << 20, `${sent} bytes`);
});

const passingTroubles: {
  name: string;
  reason: RegExp;
  trouble: (response: ServerResponse) => void;
  timeoutMs?: number;
}[] = [
  { name: '429', reason: /HTTP status 429/, trouble: (response) => response.writeHead(429).end('slow down') },
  { name: '503', reason: /HTTP status 503/, trouble: (response) => response.writeHead(503).end(SECRET) },
  { name: 'no answer', reason: /no answer within 250 ms/, trouble: () => {}, timeoutMs: 250 },
  {
    name: 'no end of the answer',
    reason: /no answer within 250 ms/,
    trouble: (response) => response.writeHead(200).write('{"jsonrpc":'),
    timeoutMs: 250,
  },
  {
    name: 'half an answer',
    reason: /connection/,
    trouble: (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"jsonrpc":', () => response.destroy());
    },
  },
  { name: 'a closed connection', reason: /connection/, trouble: (response) => response.destroy() },
  { name: 'a page', reason: /not JSON/, trouble: (response) => response.end(`<html>${SECRET}</html>`) },
  { name: 'other JSON', reason: /not JSON-RPC/, trouble: (response) => response.end('[]') },
  {
    name: 'a node that is behind',
    reason: /error -32005/,
    trouble: (response) => response.end(`{"error":{"code":-32005,"message":"behind ${SECRET}"}}`),
  },
];
for (const { name, reason, trouble, timeoutMs } of passingTroubles) {
  test(`${name}: asked again until it goes well`, async (t) => {
    const { url } = await startNode(t, (response) => {
      const isTroubled = asked() <= 2;
      if (isTroubled) trouble(response);
      return isTroubled;
    });
    const { getSlot, asked, waits, lines } = connect(url, timeoutMs, 2);
    assert.equal(await getSlot(), 5);
    assert.equal(asked(), 3);
    assert.ok(waits.length === 2 && waits[1]! > waits[0]!, 'the pauses grow');
    assert.ok(!lines.join().includes(SECRET));
  });

  test(`${name} for good: a clear error that keeps the URL to itself`, async (t) => {
    let broken = true;
    const { url, host } = await startNode(t, (response) => {
      if (broken) trouble(response);
      return broken;
    });
    const { getSlot, asked } = connect(url, timeoutMs, 4);
    await assert.rejects(getSlot(), (error) => assertUpstreamError(error, host, reason));
    assert.equal(asked(), 4);
    broken = false;
    assert.equal(await getSlot(), 5, 'the failure is not remembered');
  });
}

test('an upstream that is not there', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(connect(`http://${host}/${SECRET}`).getSlot(), (error) =>
    assertUpstreamError(error, host, /no connection \(ECONNREFUSED\)/),
  );
});

test('Retry-After is heeded, but not beyond 10 seconds', async (t) => {
  const headers = ['7', '3600', new Date(Date.now() + 3_600_000).toUTCString()];
  const { url } = await startNode(t, (response, callNumber) => {
    const header = headers[callNumber - 1];
    if (header) response.writeHead(429, { 'retry-after': header }).end();
    return header !== undefined;
  });
  const { getSlot, waits } = connect(url);
  await getSlot();
  assert.deepEqual(waits, [7_000, 10_000, 10_000]);
});

test('refusals are told at once, without the key that the upstream repeats', async (t) => {
  const refusals: [RegExp, (response: ServerResponse) => void][] = [
    [/HTTP status 403/, (response) => response.writeHead(403).end(`bad key ${SECRET}`)],
    [
      /error -32010: excluded for \*\*\*$/,
      (response) => response.end(`{"error":{"code":-32010,"message":"excluded for ${SECRET}"}}`),
    ],
  ];
  for (const [text, refuse] of refusals) {
    const { url, host, calls } = await startNode(t, (response) => {
      refuse(response);
      return true;
    });
    await assert.rejects(connect(url).getSlot(), (error) => assertUpstreamError(error, host, text));
    assert.equal(calls(), 1);
  }
});

test('a URL that cannot be used is refused without being repeated', () => {
  for (const url of [SECRET, `ftp://example.com/${SECRET}`, `https://user:${SECRET}@example.com/`]) {
    assert.throws(
      () => createUpstreamRpc({ url }),
      (error) => error instanceof ChainError && error.kind === 'invalid' && !inspect(error).includes(SECRET),
    );
  }
});
