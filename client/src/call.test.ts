import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClient, SlipwayError } from './index.js';

/** A server that answers one thing after the other, and the client of it. */
async function serving(...answers: ((response: ServerResponse) => void)[]) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    (answers.shift() ?? ((last) => last.writeHead(500).end('{}')))(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const retries: [string, number][] = [];
  const onRetry = ({ message }: SlipwayError, pauseMs: number) => retries.push([message, pauseMs]);
  return { client: createClient({ url, onRetry }), calls, retries, close };
}

const saying =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const hangUp = (response: ServerResponse) => response.destroy();
const busy = saying(429, { code: 429, message: 'Too many' }, { 'retry-after': '0' });
const query = { inputMint: 'a', outputMint: 'b', amount: '1' };

test('what may be repeated is: reading, and executing the same bytes', async () => {
  const { client, calls, close } = await serving(
    busy,
    hangUp,
    saying(503, {}, { 'retry-after': '0' }),
    saying(200, []),
  );
  assert.deepEqual(await client.api.get('/ultra/v1/order/routers'), []);
  assert.equal(calls.length, 4);
  close();
  const other = await serving(hangUp, saying(200, { status: 'Success' }));
  const body = { signedTransaction: '', requestId: '' };
  assert.deepEqual(await other.client.api.post('/ultra/v1/execute', { body, repeatable: true }), { status: 'Success' });
  other.close();
});

test('nothing else is: a POST that was not answered may have been heard', async () => {
  const { client, calls, close } = await serving(hangUp);
  const body = { wallet: 'x', amount: '1' };
  const facts = { code: 'network', retryable: true };
  await assert.rejects(client.api.post('/sandbox/airdrop', { body }), facts);
  assert.equal(calls.length, 1);
  close();
});

test('an error ends after its last attempt, and a wrong request at once', async () => {
  const { client, calls, close } = await serving(busy, busy, busy, busy);
  await assert.rejects(client.api.get('/ultra/v1/order', { query }), {
    code: 'rate_limited',
    status: 429,
    retryAfterMs: 0,
  });
  assert.equal(calls.length, 4);
  close();
  const other = await serving(saying(400, { error: 'amount: expected more' }, { 'x-api-gateway-request-id': 'r1' }));
  const facts = { code: 'invalid_request', field: 'amount', requestId: 'r1', retryable: false };
  await assert.rejects(other.client.api.get('/ultra/v1/order', { query }), facts);
  assert.deepEqual(other.calls, ['GET /ultra/v1/order?inputMint=a&outputMint=b&amount=1']);
  other.close();
});

test('who waits hears why, and for how long, each time that the call is made again', async () => {
  const stopped = saying(503, { error: 'stopped: we look into a fault' }, { 'retry-after': '0.05' });
  const { client, retries, close } = await serving(stopped, stopped, stopped, stopped);
  await assert.rejects(client.api.get('/ultra/v1/order', { query }), { code: 'unavailable' });
  assert.deepEqual(
    retries,
    Array.from({ length: 3 }, () => ['stopped: we look into a fault', 50]),
  );
  close();
});

test('an area without a 503 says 500 with a time to ask again: asked again then; without one it is over at once', async () => {
  const away = (more: Record<string, string> = {}) => saying(500, { error: 'the signer is away' }, more);
  const { client, calls, close } = await serving(away({ 'retry-after': '0' }), saying(200, {}));
  await client.api.get('/ultra/v1/order', { query });
  assert.equal(calls.length, 2);
  close();
  const other = await serving(away());
  await assert.rejects(other.client.api.get('/ultra/v1/order', { query }), { status: 500, retryable: false });
  assert.equal(other.calls.length, 1);
  other.close();
});

test('what is refused while something is under way is asked for again after the time that the service says', async () => {
  const { client, calls, close } = await serving(
    saying(400, { error: 'retry shortly' }, { 'retry-after': '0' }),
    hangUp,
    saying(400, { error: 'Cannot cancel' }),
  );
  const cancel = '/trigger/v2/orders/price/cancel/{orderId}';
  await assert.rejects(client.api.post(cancel, { path: { orderId: 'o' }, token: 't', repeatable: true }), {
    message: 'Cannot cancel',
    retryable: false,
  });
  assert.equal(calls.length, 3);
  close();
});

test('what may have been heard, and is refused later for too many calls, is still open; a question is not', async () => {
  const answers = [hangUp, busy, busy, busy];
  const posting = await serving(...answers);
  const body = { signedTransaction: '', requestId: '' };
  const posted = posting.client.api.post('/ultra/v1/execute', { body, repeatable: true });
  await assert.rejects(posted, { code: 'network' });
  posting.close();
  const asking = await serving(...answers);
  // Whoever waits for something goes on by that.
  await assert.rejects(asking.client.api.get('/ultra/v1/order/routers'), { code: 'rate_limited' });
  assert.deepEqual([posting.calls.length, asking.calls.length], [4, 4]);
  asking.close();
});

test('a pause that is too long to wait is the caller’s', async () => {
  const { client, calls, close } = await serving(saying(503, {}, { 'retry-after': '3600' }));
  await assert.rejects(client.api.get('/ultra/v1/order/routers'), { retryAfterMs: 3_600_000 });
  assert.equal(calls.length, 1);
  close();
});

test('an abort ends a request and a pause, with its reason', async () => {
  for (const answer of [() => {}, saying(503, {}, { 'retry-after': '20' })]) {
    const { client, calls, close } = await serving(answer);
    const controller = new AbortController();
    const asked = client.api.get('/ultra/v1/order/routers', { signal: controller.signal });
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    await assert.rejects(asked, { message: 'enough' });
    close();
  }
});

test('what is not the service is told apart', async () => {
  const { client, close } = await serving((response) => response.writeHead(200).end('<html>'));
  await assert.rejects(client.api.get('/ultra/v1/order/routers'), { code: 'not_slipway' });
  close();
});

test('the fields of all shapes of errors are found', async () => {
  const bodies: [unknown, string, string | undefined][] = [
    [{ error: 'maker: required', code: 400 }, 'invalid_request', 'maker'],
    [
      { error: 'invalid create order request', cause: 'params.feeBps: too much', code: 400 },
      'invalid_request',
      'params.feeBps',
    ],
    [{ error: 'Request validation failed', details: { maker: 'required' } }, 'invalid_request', 'maker'],
    [{ errors: { creator: ['required'] }, error: 'x' }, 'invalid_request', 'creator'],
    [
      { type: 'invalid_request_error', message: 'x', code: 'invalid_request', param: 'eventIds' },
      'invalid_request',
      'eventIds',
    ],
    [{ status: 400, message: 'Not eligible', code: 'ELIGIBILITY_CONFLICT' }, 'eligibility_conflict', undefined],
  ];
  for (const [body, code, field] of bodies) {
    const { client, close } = await serving(saying(400, body));
    const error = await client.api.get('/ultra/v1/order/routers').catch((thrown: unknown) => thrown);
    assert.ok(error instanceof SlipwayError);
    assert.deepEqual([error.code, error.field], [code, field]);
    close();
  }
});

const unpacked = (bytes: number, status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(bytes, ' ')));
const MiB = 1024 * 1024;

test('attack: a lying service answers some kilobytes that unpack to more than a process holds, or without end: no more than 16 MiB is read', async () => {
  const tooLong = { code: 'not_slipway', message: /more than 16777216 bytes/ };
  const { client, close } = await serving(
    unpacked(17 * MiB, 200),
    unpacked(17 * MiB, 400),
    unpacked(17 * MiB, 500),
    unpacked(16 * MiB, 200),
    (response) => {
      const part = Buffer.alloc(MiB, ' ');
      const more = () => {
        while (!response.destroyed && response.write(part));
      };
      response.writeHead(200).on('drain', more);
      more();
    },
  );
  await assert.rejects(client.api.get('/ultra/v1/order/routers'), tooLong);
  await assert.rejects(client.api.post('/ultra/v1/execute', { body: {} as never }), tooLong);
  await assert.rejects(client.events().next(), tooLong);
  await assert.rejects(client.api.get('/ultra/v1/order/routers'), { message: /something else than JSON/ });
  await assert.rejects(client.api.get('/ultra/v1/order/routers'), tooLong);
  close();
});

test('attack: a lying service rounds the least of a swap of two units down to one, which is half of it: not signed', async () => {
  const address = 'So11111111111111111111111111111111111111112';
  const signer = { address, signTransaction: (wire: Uint8Array) => wire };
  const client = createClient({ url: 'http://127.0.0.1:1', signer });
  const request = { inputMint: address, outputMint: address, amount: 1n };
  const facts = { slippageBps: 50, signatureFeeLamports: 0, prioritizationFeeLamports: 0, transaction: 'AA==' };
  for (const [outAmount, otherAmountThreshold, isTooLow] of [
    ['2', '1', true],
    ['2', '2', false],
    ['10001', '9950', false],
    ['10001', '9949', true],
  ] as const) {
    const refused = await client
      .executeSwap(request, { ...facts, outAmount, otherAmountThreshold } as never)
      .catch((error: Error) => error);
    assert.ok(refused instanceof SlipwayError);
    assert.equal(/more slippage than was asked/.test(refused.message), isTooLow, otherAmountThreshold);
  }
});

test('attack: a lying service tells an amount of millions of digits, which takes seconds to read: it is none', async () => {
  const address = 'So11111111111111111111111111111111111111112';
  const signer = { address, signTransaction: (wire: Uint8Array) => wire };
  const client = createClient({ url: 'http://127.0.0.1:1', signer });
  const request = { inputMint: address, outputMint: address, amount: 1n };
  const digits = '9'.repeat(1_000_000);
  const facts = { slippageBps: 0, signatureFeeLamports: 0, prioritizationFeeLamports: 0, transaction: 'AA==' };
  for (const told of [
    { otherAmountThreshold: digits, outAmount: '1' },
    { otherAmountThreshold: '1', outAmount: digits },
  ]) {
    await assert.rejects(client.executeSwap(request, { ...facts, ...told } as never), {
      code: 'not_slipway',
      message: /an amount that is none/,
    });
  }
});
