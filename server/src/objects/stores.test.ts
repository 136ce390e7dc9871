import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Outage } from '../errors/index.js';
import { ContentRefused, type ObjectStore } from './object-store.js';
import type { Objects } from './objects.js';
import { BUCKET, credentials, REGION, startStrictS3 } from './s3/testing.js';
import { createS3Store } from './s3-store.js';
import { MIB, newKey, noisePng, type OpenStand, png, put, samples, stands } from './testing.js';

const PNG = 'image/png';
const JSON_TYPE = 'application/json';
const metadata = Buffer.from(JSON.stringify({ name: 'N', symbol: 'S', image: 'https://x.example/i' }));

for (const { kind, open } of stands) {
  describe(`the ${kind} store`, () => {
    let stand: OpenStand;
    let store: ObjectStore;
    let objects: Objects;
    before(async () => {
      stand = await open();
      ({ store, objects } = stand);
    });
    after(() => stand?.close());

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

    it('attack: an uploader replaces a file by a larger one after it was counted: that is neither read nor published', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      await put(url, samples.png.bytes);
      const counted = await objects.uploadedBytes(key);
      assert.ok(await objects.uploaded(key, counted));
      await put(url, noisePng(200));
      await assert.rejects(objects.uploaded(key, counted), ContentRefused);
      await assert.rejects(objects.publish(key, key, counted), ContentRefused);
      assert.equal(await objects.read(key), undefined);
      assert.equal(await objects.publish(key, key, await objects.uploadedBytes(key)), true);
      assert.ok(noisePng(200).equals((await objects.read(key))!.bytes));
    });

    it('takes what the URL is signed for, more than once, and publishes it under a URL that stays', async () => {
      for (const [folder, contentType, bytes] of [
        ['images', PNG, samples.png.bytes],
        ['images', 'image/webp', samples.animatedWebp.bytes],
        ['metadata', JSON_TYPE, metadata],
      ] as const) {
        const key = `${folder}${newKey().slice(6)}.x`;
        const url = await objects.presignUpload({ key, contentType });
        assert.ok(!url.includes('a-secret'), 'the secret is not in the URL');
        assert.equal(await objects.uploaded(key), undefined);
        assert.equal(await objects.uploadedBytes(key), 0);
        assert.equal(await objects.publish(key, key), false);
        for (let time = 0; time < 2; time++) assert.equal((await put(url, bytes, contentType)).status, 200);
        const uploaded = await objects.uploaded(key);
        assert.equal(await objects.uploadedBytes(key), uploaded!.bytes.length);
        assert.ok(uploaded && bytes.equals(uploaded.bytes));
        assert.equal(uploaded.metadata?.name, folder === 'metadata' ? 'N' : undefined);
        assert.equal(await objects.publish(key, key), true);
        const answer = await fetch(objects.publicUrl(key));
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, contentType]);
        assert.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())));
        assert.equal(await objects.uploaded(key), undefined, 'what is published is no upload any more');
        assert.equal(await objects.uploadedBytes(key), 0);
      }
    });

    it('does not change what is published, however often it is uploaded and published again', async () => {
      const key = newKey();
      const url = await objects.presignUpload({ key, contentType: PNG });
      await put(url, samples.png.bytes);
      await objects.publish(key, key);
      await put(url, samples.interlacedPng.bytes);
      for (let time = 0; time < 2; time++) assert.equal(await objects.publish(key, key), true);
      const read = async () => Buffer.from(await (await fetch(objects.publicUrl(key))).arrayBuffer());
      assert.ok(samples.png.bytes.equals(await read()));
      assert.ok(samples.png.bytes.equals((await objects.read(key))!.bytes));
      await put(url, samples.interlacedPng.bytes);
      await objects.removeUpload(key);
      assert.ok(samples.png.bytes.equals(await read()), 'what is published stays');
      await objects.remove(key);
      assert.equal((await fetch(objects.publicUrl(key))).status, 404);
      assert.equal(await objects.publish(key, key), false);
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
        if (good) assert.equal(await objects.publish(key, key), true);
        else assert.equal(await objects.publish(key, key).catch(refusedContent), false);
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
        assert.equal(await objects.publish(key, key).catch(refusedContent), false);
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
      const [first, ...rest] = await Promise.all([1, 2, 3].map(() => objects.publish(key, key)));
      assert.deepEqual([first, ...rest], [true, true, true]);
      const { bytes } = (await objects.read(key))!;
      assert.ok(images.some((image) => image.equals(bytes)));
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
