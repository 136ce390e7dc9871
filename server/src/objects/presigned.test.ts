import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { INCOMING, type ObjectStore } from './object-store.js';
import { createObjects, type Objects } from './objects.js';
import { MIB, newKey, type OpenStand, put, samples, stands, URL_SECONDS } from './testing.js';

const PNG = 'image/png';

for (const { kind, open } of stands) {
  describe(`a presigned URL of the ${kind} store`, () => {
    let stand: OpenStand;
    let store: ObjectStore;
    let objects: Objects;
    before(async () => {
      stand = await open();
      ({ store, objects } = stand);
    });
    after(() => stand?.close());

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

    it('attack: an uploader changes anything in a presigned URL: refused', async () => {
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

    it('attack: an uploader plays tricks with the path of a presigned URL: refused', async () => {
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
      // Also if the URL is changed to say the same.
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
        key,
        contentType: PNG,
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
