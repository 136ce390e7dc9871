import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { registerObjects } from '../areas/objects/index.js';
import { Outage } from '../errors/index.js';
import { startTestServer } from '../http/testing.js';
import { createLocalStore } from './local-store.js';
import { ContentRefused, INCOMING, type ObjectStore } from './object-store.js';
import { createObjects, type Objects } from './objects.js';
import { createS3Store } from './s3-store.js';
import { BUCKET, credentials, noisePng, png, REGION, samples, startStrictS3 } from './testing.js';

const MIB = 1024 * 1024;
const URL_SECONDS = 900;
const PNG = 'image/png';
const JSON_TYPE = 'application/json';
const metadata = Buffer.from(JSON.stringify({ name: 'N', symbol: 'S', image: 'https://x.example/i' }));

interface Stand {
  store: ObjectStore;
  /** Moves the time by which URLs expire. */
  advance(seconds: number): void;
  /** The same store as another process, or the next start, opens it. */
  reopen(): Promise<ObjectStore>;
  close(): Promise<void>;
}

async function openLocal(dir: string): Promise<Stand> {
  let ahead = 0;
  let url = '';
  const clock = { now: () => Date.now() + ahead };
  const secret = 'a-secret-that-nobody-may-see';
  const open = () => createLocalStore({ dir, secret, publicUrl: () => url, clock });
  const store = open();
  const routes = (app: FastifyInstance) => registerObjects(app, { store, maxImageBytes: 5 * MIB });
  const { app } = await startTestServer(routes);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...{ store, reopen: async () => open(), close: () => app.close() },
    advance: (seconds) => {
      ahead += seconds * 1000;
    },
  };
}

async function openS3(dir: string): Promise<Stand> {
  const s3 = await startStrictS3(dir);
  const settings = { bucket: BUCKET, region: REGION, endpoint: s3.endpoint, credentials };
  const open = () => createS3Store({ ...settings, publicUrl: `${s3.endpoint}/${BUCKET}` });
  const store = open();
  return {
    ...{ store, reopen: async () => open(), advance: s3.advance },
    async close() {
      await store.close();
      await s3.close();
    },
  };
}

const put = (url: string, body: Uint8Array, type: string | null = PNG, method = 'PUT') =>
  fetch(url, { method, body, headers: type === null ? {} : { 'content-type': type } });

let serial = 0;
const newKey = () => `images/${(++serial).toString().padStart(32, 'A')}`;

for (const [kind, open] of [
  ['local', openLocal],
  ['s3', openS3],
] as const) {
  describe(`the ${kind} store`, () => {
    let dir: string;
    let stand: Stand;
    let store: ObjectStore;
    let objects: Objects;
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'slipway-objects-'));
      stand = await open(dir);
      store = stand.store;
      objects = createObjects(store, { maxImageBytes: 5 * MIB, urlSeconds: URL_SECONDS });
    });
    after(async () => {
      await stand?.close();
      await rm(dir, { recursive: true, force: true });
    });

    /** Asserts that a PUT is refused, and that nothing of it is there. */
    async function refused(
      url: string,
      key: string,
      ...rest: [Uint8Array?, (string | null)?, string?]
    ): Promise<number> {
      const [body = samples.png.bytes, type, method] = rest;
      const { status } = await put(url, body, type, method);
      assert.ok(status >= 400 && status < 500, `${method ?? 'PUT'} ${url} as ${type}: ${status}`);
      assert.equal(await store.head(INCOMING + key), undefined);
      return status;
    }

    it('keeps, gives back, replaces and deletes', async () => {
      const key = newKey();
      assert.equal(await store.get(key, MIB), undefined);
      assert.equal(await store.head(key), undefined);
      await store.delete(key);
      for (const bytes of [noisePng(200), samples.png.bytes, Buffer.alloc(0)]) {
        await store.put(key, { contentType: PNG, bytes });
        const found = await store.get(key, bytes.length);
        assert.ok(found && bytes.equals(found.bytes));
        assert.equal(found.contentType, PNG);
        assert.deepEqual(await store.head(key), { contentType: PNG, size: bytes.length });
        if (bytes.length > 0) await assert.rejects(store.get(key, bytes.length - 1), ContentRefused);
      }
      await store.delete(key);
      assert.equal(await store.get(key, MIB), undefined);
    });

    it('takes what the URL is signed for, more than once, and publishes it under a URL that stays', async () => {
      for (const [folder, contentType, bytes] of [
        ['images', PNG, samples.png.bytes],
        ['images', 'image/webp', samples.animatedWebp.bytes],
        ['metadata', JSON_TYPE, metadata],
      ] as const) {
        const key = `${folder}/published-${++serial}.x`;
        const url = await objects.presignUpload({ key, contentType });
        assert.ok(!url.includes('a-secret'), 'the secret is not in the URL');
        assert.equal(await objects.uploaded(key), undefined);
        assert.equal(await objects.publish(key), false);
        for (let time = 0; time < 2; time++) assert.equal((await put(url, bytes, contentType)).status, 200);
        const uploaded = await objects.uploaded(key);
        assert.ok(uploaded && bytes.equals(uploaded.bytes));
        assert.equal(uploaded.metadata?.name, folder === 'metadata' ? 'N' : undefined);
        assert.equal(await objects.publish(key), true);
        const answer = await fetch(objects.publicUrl(key));
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, contentType]);
        assert.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())));
        assert.equal(await objects.uploaded(key), undefined, 'what is published is no upload any more');
      }
    });

    it('does not change what is published, however often it is uploaded and published again', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      await put(url, samples.png.bytes);
      await objects.publish(key);
      await put(url, samples.interlacedPng.bytes);
      for (let time = 0; time < 2; time++) assert.equal(await objects.publish(key), true);
      const read = async () => Buffer.from(await (await fetch(objects.publicUrl(key))).arrayBuffer());
      assert.ok(samples.png.bytes.equals(await read()));
      assert.ok(samples.png.bytes.equals((await objects.read(key))!.bytes));
      await put(url, samples.interlacedPng.bytes);
      await objects.remove(key);
      assert.equal((await fetch(objects.publicUrl(key))).status, 404);
      assert.equal(await objects.publish(key), false);
    });

    it('refuses a URL in which anything has been changed', async () => {
      const key = newKey();
      const right = await objects.presignUpload({ key, contentType: PNG });
      const { origin, pathname, searchParams } = new URL(right);
      const withQuery = (query: URLSearchParams) => `${origin}${pathname}?${query}`;
      for (const [name, value] of searchParams) {
        const changes = [`${value}0`, value.slice(0, -1), '', `${value.startsWith('9') ? '8' : '9'}${value.slice(1)}`];
        for (const changed of new Set(changes)) {
          const query = new URLSearchParams(searchParams);
          query.set(name, changed);
          await refused(withQuery(query), key);
        }
        const without = new URLSearchParams(searchParams);
        without.delete(name);
        await refused(withQuery(without), key);
        const twice = new URLSearchParams(searchParams);
        twice.append(name, value);
        await refused(withQuery(twice), key);
      }
      await refused(`${origin}${pathname}`, key);
      await refused(`${right}&more=1`, key);
      assert.equal((await put(right, samples.png.bytes)).status, 200, 'unchanged it is good');
    });

    it('lets it be used for one key and one method', async () => {
      const key = newKey();
      const other = newKey();
      const right = await objects.presignUpload({ key, contentType: PNG });
      for (const path of [other, `${key}x`, key.replace('images', 'metadata')]) {
        await refused(right.replace(key, path), path);
      }
      await refused(right.replace(INCOMING, ''), key);
      assert.equal(await store.head(key), undefined);
      for (const method of ['POST', 'DELETE', 'PATCH']) await refused(right, key, undefined, PNG, method);
      await put(right, samples.png.bytes);
      for (const url of [right, right.split('?')[0]!]) {
        const { status } = await fetch(url, { method: 'DELETE' });
        assert.ok(status >= 400 && status < 500);
        assert.notEqual((await fetch(url)).status, 200, 'uploads are not read');
      }
      assert.ok(await store.head(INCOMING + key));
    });

    it('refuses tricks in the path', async () => {
      const key = newKey();
      const right = new URL(await objects.presignUpload({ key, contentType: PNG }));
      const [, name] = key.split('/') as [string, string];
      const tricks = [
        ...['..', '.', '%2e%2e', '%2E%2E%2F%2E%2E%2Fetc', '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cwindows', '%00'],
        ...[`${name}%00.png`, `${name}%0a`, `${name}%20`, `${name};x`, `${name}\\x`, '.hidden', 'x'.repeat(129)],
        ...['x'.repeat(10_000), '%', '%zz', '%c0%ae%c0%ae', '', '/', `${name}/`, `/${name}`, `${name}/../${name}x`],
      ];
      for (const trick of tricks) {
        const path = right.pathname.slice(0, -name.length) + trick;
        for (const method of ['PUT', 'GET']) {
          const status = await rawStatus(right, `${method} ${path}${right.search}`);
          assert.ok(status >= 400 && status < 500, `${method} ${trick}: ${status}`);
        }
      }
      assert.equal(await store.head(INCOMING + key), undefined);
      const keys = [
        '',
        'images',
        '../x',
        'images/../x',
        'images/x/y',
        'Images/x',
        'images/.x',
        `images/${'x'.repeat(129)}`,
      ];
      for (const wrong of [...keys, 'incoming/x', 'incoming/images/x', 'images/x\0', 'images/ä']) {
        await assert.rejects(async () => objects.presignUpload({ key: wrong, contentType: PNG }), RangeError, wrong);
        await assert.rejects(async () => objects.store(wrong, samples.png), RangeError, wrong);
        assert.throws(() => objects.publicUrl(wrong), RangeError, wrong);
      }
    });

    it('binds the content type', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      for (const type of ['text/html', 'image/jpeg', 'image/svg+xml', 'image/png, text/html', 'image/png;x=y']) {
        await refused(url, key, samples.png.bytes, type);
      }
      await refused(url, key, samples.png.bytes, null);
      // Also where the URL is changed to say the same.
      for (const [from, to] of [
        ['type=image%2Fpng', 'type=image%2Fgif'],
        ['content-type%3Bhost', 'host'],
      ] as const) {
        if (url.includes(from)) await refused(url.replace(from, to), key, samples.gif.bytes, 'image/gif');
      }
    });

    it('binds an exact length', async () => {
      const key = newKey();
      const { bytes } = samples.png;
      const upload = { key: INCOMING + key, contentType: PNG, expiresInSeconds: 60 };
      const url = await store.presignPut({ ...upload, length: { exact: bytes.length } });
      await refused(url, key, Buffer.concat([bytes, Buffer.from('x')]));
      await refused(url, key, bytes.subarray(1));
      await refused(url, key, Buffer.alloc(0));
      const { bytes: other } = samples.interlacedPng;
      await refused(url.replace(`length=${bytes.length}`, `length=${other.length}`), key, other);
      await refused(url.replace(`length=${bytes.length}`, `max=${other.length}`), key, other);
      await refused(url.replace('content-length%3B', ''), key, other);
      assert.equal((await put(url, bytes)).status, 200);
    });

    it('wants to be told the length', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(samples.png.bytes);
          controller.close();
        },
      });
      const init = { method: 'PUT', body, headers: { 'content-type': PNG }, duplex: 'half' } as RequestInit;
      const { status } = await fetch(url, init);
      assert.ok([400, 411].includes(status), String(status));
      assert.equal(await store.head(INCOMING + key), undefined);
    });

    it('takes an image of 5 MiB, and makes none public that is a byte longer', async () => {
      const exact = (length: number) => Buffer.concat([largest.subarray(0, -12), tail(length), largest.subarray(-12)]);
      const largest = noisePng(2_200);
      const room = 5 * MIB - largest.length;
      const tail = (length: number) => chunk('prIv', Buffer.alloc(length - 12));
      for (const [size, good] of [
        [5 * MIB, true],
        [5 * MIB + 1, false],
      ] as const) {
        const key = newKey();
        const bytes = exact(room + size - 5 * MIB);
        assert.equal(bytes.length, size);
        await put(await objects.presignUpload({ key, contentType: PNG }), bytes);
        if (good) assert.equal(await objects.publish(key), true);
        else assert.equal(await objects.publish(key).catch(refusedContent), false);
        assert.equal((await fetch(objects.publicUrl(key))).status, good ? 200 : 404);
      }
    });

    it('makes nothing public that is not what it claims to be', async () => {
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
      const lies: [string, Uint8Array][] = [
        [PNG, samples.jpeg.bytes],
        [PNG, svg],
        ['image/gif', Buffer.from('GIF89a<script>alert(1)</script>')],
        [PNG, Buffer.concat([samples.png.bytes, svg])],
        [PNG, Buffer.alloc(0)],
        [JSON_TYPE, svg],
        [JSON_TYPE, Buffer.from('{"name":"N","symbol":"S"}')],
      ];
      for (const [contentType, bytes] of lies) {
        const key = newKey();
        await put(await objects.presignUpload({ key, contentType: contentType as 'image/png' }), bytes, contentType);
        assert.equal(await objects.publish(key).catch(refusedContent), false);
        assert.equal((await fetch(objects.publicUrl(key))).status, 404);
        await assert.rejects(objects.store(key, { contentType, bytes }), ContentRefused);
        assert.equal(await objects.read(key), undefined);
      }
      await assert.rejects(objects.store(newKey(), { contentType: 'text/html', bytes: svg }), ContentRefused);
    });

    it('keeps one of racing uploads, whole', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      const images = Array.from({ length: 12 }, (_, index) => noisePng(100 + index));
      const seen = new Set<number>();
      const answers = await Promise.all(
        images.map(async (bytes) => {
          const { status } = await put(url, bytes);
          const { bytes: found } = (await objects.uploaded(key))!;
          seen.add(found.length);
          return status;
        }),
      );
      assert.deepEqual(new Set(answers), new Set([200]));
      const lengths = images.map(({ length }) => length);
      for (const length of seen) assert.ok(lengths.includes(length));
      const [first, ...rest] = await Promise.all([1, 2, 3].map(() => objects.publish(key)));
      assert.deepEqual([first, ...rest], [true, true, true]);
      const { bytes } = (await objects.read(key))!;
      assert.ok(images.some((image) => image.equals(bytes)));
    });

    it('keeps nothing of an upload that is broken off', async () => {
      const key = newKey();
      const url = new URL(await objects.presignUpload({ key, contentType: PNG }));
      await put(url.href, samples.png.bytes);
      const { bytes } = samples.interlacedPng;
      const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: ${PNG}\r\n`;
      const socket = connect(Number(url.port), url.hostname);
      await once(socket, 'connect');
      await new Promise((done) => socket.write(`${head}content-length: ${bytes.length}\r\n\r\n`, done));
      await new Promise((done) => socket.write(bytes.subarray(0, 100), done));
      socket.resetAndDestroy();
      await once(socket, 'close');
      // Another upload has been served by then, and so the broken one has been seen.
      const other = newKey();
      await put(await objects.presignUpload({ key: other, contentType: PNG }), bytes);
      assert.ok(samples.png.bytes.equals((await objects.uploaded(key))!.bytes));
    });

    it('gives URLs that another start serves, until they expire', async () => {
      const key = newKey();
      const again = await stand.reopen();
      const url = await createObjects(again, { maxImageBytes: MIB, urlSeconds: URL_SECONDS }).presignUpload({
        ...{ key, contentType: PNG },
      });
      assert.equal((await put(url, samples.png.bytes)).status, 200);
      assert.ok(await again.head(INCOMING + key));
      await again.close();
      await store.delete(INCOMING + key);
      stand.advance(URL_SECONDS - 5);
      assert.equal((await put(url, samples.png.bytes)).status, 200);
      await store.delete(INCOMING + key);
      stand.advance(6);
      await refused(url, key);
      stand.advance(1 - URL_SECONDS - 2);
    });
  });
}

it('a bucket that cannot be reached, or that refuses, is an outage that names no secret', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-objects-'));
  const s3 = await startStrictS3(dir);
  const wrongSecret = { ...credentials, secretAccessKey: 'another-secret-nobody-may-see' };
  try {
    for (const [endpoint, used] of [
      ['http://127.0.0.1:1', credentials],
      [s3.endpoint, wrongSecret],
    ] as const) {
      const settings = { bucket: BUCKET, region: REGION, endpoint, credentials: used, publicUrl: endpoint };
      const store = createS3Store(settings);
      for (const call of [
        () => store.put('images/x', samples.png),
        () => store.head('images/x'),
        () => store.get('images/x', 1),
        () => store.delete('images/x'),
      ]) {
        await assert.rejects(call, (error: Outage) => {
          assert.ok(error instanceof Outage);
          assert.equal(error.code, 'STORAGE_UNAVAILABLE');
          assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes('secret'));
          return true;
        });
      }
      await store.close();
    }
  } finally {
    await s3.close();
    await rm(dir, { recursive: true, force: true });
  }
});

function refusedContent(error: unknown): false {
  assert.ok(error instanceof ContentRefused, String(error));
  return false;
}

function chunk(name: string, data: Buffer): Buffer {
  return png([name, data]).subarray(8);
}

/** Sends a request line as it is, with a small image, and answers the status. */
async function rawStatus(url: URL, line: string): Promise<number> {
  const socket = connect(Number(url.port), url.hostname);
  const { bytes } = samples.png;
  const body = line.startsWith('PUT') ? bytes : Buffer.alloc(0);
  const headers = `host: ${url.host}\r\ncontent-type: ${PNG}\r\ncontent-length: ${body.length}\r\nconnection: close`;
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(`${line} HTTP/1.1\r\n${headers}\r\n\r\n`);
  socket.write(body);
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]);
}
