import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  compileMessage,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  requiredSigners,
  sign,
  systemTransfer,
  withSignature,
} from '@slipway/wire';
import { hashMessage } from '../../crafting/transaction.js';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import { WouldFail } from '../../landing/index.js';
import { ContentRefused } from '../../objects/index.js';
import { registerSubmitPool } from './submit-pool.js';

const MIB = 1024 * 1024;
const IMAGE_BYTES = 5 * MIB;
const METADATA_BYTES = 1_000;

/**
 * The route over a launch whose files are uploaded and which the chain would refuse; and what was read of the files. The
 * image has `counted` bytes when they are counted, and is replaced by the large one right after that.
 */
async function open(t: TestContext, left: number, counted = IMAGE_BYTES) {
  const [creator, mint] = [generateKeypair(), generateKeypair()];
  const message = compileMessage({
    version: 0,
    feePayer: creator.address,
    instructions: [systemTransfer({ from: mint.address, to: creator.address, lamports: 1n })],
    blockhash: generateKeypair().address,
  });
  const unsigned = decodeTransaction(
    encodeTransaction({ signatures: [new Uint8Array(64), new Uint8Array(64)], message }),
  );
  assert.deepEqual(requiredSigners(unsigned.decoded), [creator.address, mint.address]);
  const wire = encodeTransaction(withSignature(unsigned, creator.address, sign(creator, message)));
  const request = {
    area: 'studio',
    wallet: creator.address,
    state: 'crafted',
    messageHash: hashMessage(message),
    cosigners: [],
    lastValidBlockHeight: 1n,
    expiresAt: new Date(8.64e15),
  };
  const launch = {
    creator: creator.address,
    mint: mint.address,
    config: mint.address,
    requestId: '1',
    headerKey: null,
  };
  const reading = { files: 0, now: 0, mostAtOnce: 0, hold: Promise.resolve() };
  const objects = {
    maxImageBytes: IMAGE_BYTES,
    uploadedBytes: async (key: string) => (key.startsWith('images/') ? counted : METADATA_BYTES),
    async uploaded(key: string, mostBytes: number) {
      const bytes = key.startsWith('images/') ? IMAGE_BYTES : METADATA_BYTES;
      if (bytes > mostBytes) throw new ContentRefused(`${bytes} bytes are too many`);
      reading.files += 1;
      reading.now += bytes;
      reading.mostAtOnce = Math.max(reading.mostAtOnce, reading.now);
      await reading.hold;
      reading.now -= bytes;
      return {};
    },
  };
  const deps = {
    clock: { now: () => 0 },
    store: { query: async () => ({ rows: [launch] }) },
    findRequest: async () => request,
    objects,
    chain: {
      by() {
        return this;
      },
      blockHeight: async () => 0n,
      account: async () => ({ executable: true }),
    },
    landing: {
      vouchesFor: async () => true,
      walletsOf: () => [],
      execute: async () => {
        throw new WouldFail('AccountNotFound', []);
      },
    },
  };
  const calls = { left };
  const take = (_id: string, _bucket: string, _tier: string, weight = 1) => {
    const allowed = calls.left >= weight;
    if (allowed) calls.left -= weight;
    return { ...plentyLeft, allowed };
  };
  const { app } = await startTestServer(
    (server) => registerSubmitPool(server, deps as unknown as Parameters<typeof registerSubmitPool>[1]),
    { limiter: { take } },
  );
  t.after(() => app.close());
  const part = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const transaction = Buffer.from(wire).toString('base64');
  const payload = `${part('transaction', transaction)}${part('owner', creator.address)}--b--\r\n`;
  const headers = { 'x-api-key': 'good-key', 'content-type': 'multipart/form-data; boundary=b' };
  const post = async () => {
    const url = '/studio/v1/dbc-pool/submit';
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload });
    return { status: statusCode, body };
  };
  return { post, reading, calls };
}

test('attack: an uploader has the same image read by ever more posts of its launch: each counts like its upload', async (t) => {
  const { post, reading, calls } = await open(t, 500);
  const statuses: number[] = [];
  for (let n = 0; n < 100; n++) statuses.push((await post()).status);
  const read = statuses.filter((status) => status === 400).length;
  assert.deepEqual(statuses, [...Array(read).fill(400), ...Array(100 - read).fill(429)]);
  assert.equal(read, 22);
  assert.equal(reading.files, 2 * read);
  assert.equal(calls.left, 0);
});

test('attack: an uploader has the same image read by 500 posts at once: 32 MiB of it are in memory', async (t) => {
  const { post, reading } = await open(t, 100_000);
  let goOn = () => {};
  reading.hold = new Promise((resolve) => {
    goOn = resolve;
  });
  const posts = Array.from({ length: 500 }, post);
  const refused = Promise.race(posts);
  assert.match((await refused).body, /too many launches of yours are being submitted/);
  goOn();
  await Promise.all(posts);
  assert.ok(reading.mostAtOnce > IMAGE_BYTES && reading.mostAtOnce <= 32 * MIB, `${reading.mostAtOnce} bytes`);
  assert.equal(reading.now, 0);
  assert.equal((await post()).status, 400);
});

test('attack: an uploader replaces a small image by a large one once it was counted: the large one is not read', async (t) => {
  const { post, reading } = await open(t, 500, 100);
  for (let n = 0; n < 100; n++) {
    const { status, body } = await post();
    assert.equal(status, 400);
    assert.match(body, /image: 5242880 bytes are too many/);
  }
  assert.ok(reading.mostAtOnce <= METADATA_BYTES, `${reading.mostAtOnce} bytes`);
});
