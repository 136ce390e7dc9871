import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadConfig } from '../config/index.js';
import { BUCKET, credentials, REGION, type StrictS3, startStrictS3 } from '../objects/s3/testing.js';
import type { Check } from './doctor-check.js';
import { checkObjects } from './doctor-objects.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-doctor-objects-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const check = (env: Record<string, string>): Promise<Check> => checkObjects(loadConfig(env, { cwd: folder }));

test('the data folder is where uploads go, and is for one copy', async () => {
  const sandbox = await check({});
  assert.deepEqual([sandbox.ok, sandbox.next], [true, undefined]);
  const settings = join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({ express: { receiver: 'So11111111111111111111111111111111111111112' } }));
  const shared = await check({
    SLIPWAY_RPC_URL: 'http://127.0.0.1:1',
    SLIPWAY_SIGNER_PASSPHRASE: 'x',
    SLIPWAY_CONFIG: settings,
    DATABASE_URL: 'postgres://127.0.0.1:1/x',
  });
  assert.equal(shared.ok, true);
  assert.match(shared.next ?? '', /more than one copy .* SLIPWAY_S3_BUCKET/);
  const data = join(folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'objects'), 'a file where the folder should be');
  const broken = await check({ SLIPWAY_DATA_DIR: data });
  assert.equal(broken.ok, false);
  assert.match(broken.detail, /cannot be written/);
  assert.ok(broken.next);
});

test('a bucket is tried: whether it can be written, is read where it should be and nowhere else', async () => {
  const servers: StrictS3[] = [];
  const start = async (name: string, readable?: string) => {
    const server = await startStrictS3(join(folder, name), readable);
    servers.push(server);
    const { endpoint } = server;
    return {
      SLIPWAY_S3_BUCKET: BUCKET,
      SLIPWAY_S3_REGION: REGION,
      SLIPWAY_S3_ENDPOINT: endpoint,
      SLIPWAY_S3_PUBLIC_URL: `${endpoint}/${BUCKET}`,
      SLIPWAY_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      SLIPWAY_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  };
  try {
    const right = await start('right');
    const fine = await check(right);
    assert.deepEqual([fine.ok, fine.next], [true, undefined], fine.detail);
    const wrong: [Record<string, string>, RegExp][] = [
      [{ ...right, SLIPWAY_S3_SECRET_ACCESS_KEY: 'wrong-secret' }, /cannot write/],
      [{ ...right, SLIPWAY_S3_BUCKET: 'another' }, /cannot write/],
      [{ ...right, SLIPWAY_S3_ENDPOINT: 'http://127.0.0.1:1' }, /cannot write \(/],
      [{ ...right, SLIPWAY_S3_PUBLIC_URL: 'http://127.0.0.1:1' }, /cannot be read at SLIPWAY_S3_PUBLIC_URL/],
      [await start('closed', 'none'), /cannot be read at SLIPWAY_S3_PUBLIC_URL/],
      [await start('open', 'images|incoming'), /everybody can read incoming\//],
    ];
    for (const [env, expected] of wrong) {
      const report = await check(env);
      assert.equal(report.ok, false);
      assert.match(report.detail, expected);
      assert.match(report.next ?? '', /"Uploads" in docs\/operations\.md/);
      assert.ok(!JSON.stringify(report).includes('secret'), 'no secret is shown');
    }
    for (const name of ['right', 'closed', 'open']) {
      const left = await readdir(join(folder, name), { recursive: true });
      assert.deepEqual(
        left.filter((path) => path.includes('doctor')),
        [],
        'what was tried is deleted again',
      );
    }
  } finally {
    for (const server of servers) await server.close();
  }
});
