import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const MB = 1024 * 1024;

/** A statement as the protocol's simple query. */
function query(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5, 'Q');
  head.writeUInt32BE(body.length + 4, 1);
  return new Uint8Array(Buffer.concat([head, body]));
}

test('keeps nothing of what it has answered: 300 MB pass through a heap of 64', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-database-'));
  const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
    workerData: { dir: join(dir, 'database') },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  t.after(async () => {
    await worker.terminate();
    await rm(dir, { recursive: true });
  });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  const answer = async (): Promise<Uint8Array> => (await Promise.race([once(worker, 'message'), failed]))[0];
  assert.equal(await answer(), 'ready');
  let passed = 0;
  while (passed < 300 * MB) {
    worker.postMessage(query(`select repeat('x', 10000) from generate_series(1, 1000)`));
    const { length } = await answer();
    assert.ok(length > 10_000_000, `${length}`);
    passed += length;
  }
});
