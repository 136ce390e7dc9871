import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Outage } from '../errors/index.js';
import { BUCKET, credentials, REGION } from './s3/testing.js';
import { createS3Store } from './s3-store.js';
import { MIB, samples } from './testing.js';

/** A store on a bucket that answers like this, and is given up after so many milliseconds. */
async function open(t: TestContext, answer: (response: ServerResponse) => void, wholeMs?: number) {
  const server = createServer((request, response) => {
    response.on('error', () => {});
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = createS3Store({ bucket: BUCKET, region: REGION, endpoint, credentials, publicUrl: endpoint }, wholeMs);
  t.after(async () => {
    await store.close();
    server.close();
    server.closeAllConnections();
  });
  return { get: () => store.get('images/x', MIB), put: () => store.put('images/x', samples.png), store };
}

const isOutage = (error: unknown) => error instanceof Outage && error.code === 'STORAGE_UNAVAILABLE';

test('a bucket whose answer stops half way is an outage, and nobody waits for the rest', async (t) => {
  for (const status of [200, 500]) {
    const { get, put } = await open(
      t,
      (response) => {
        response.writeHead(status, { 'content-type': 'image/png', 'content-length': 1_000 });
        response.write(Buffer.alloc(10));
      },
      300,
    );
    await assert.rejects(get, isOutage);
    await assert.rejects(put, isOutage);
  }
});

test('a bucket whose answers do not end is an outage: of an object no more is read than it may have, of others 64 KiB', async (t) => {
  const part = Buffer.alloc(MIB, ' ');
  let sent = 0;
  for (const status of [200, 403, 500]) {
    const { get, put } = await open(t, (response) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      const more = () => {
        while (response.writable && response.write(part)) sent += part.length;
        sent += part.length;
      };
      response.on('drain', more);
      more();
    });
    if (status === 200) await assert.rejects(get, { name: 'ContentRefused' });
    else await assert.rejects(get, isOutage);
    await assert.rejects(put, isOutage);
  }
  // The connections hold some megabytes each.
  assert.ok(sent < 100 * MIB, `${sent} bytes were sent`);
});
