import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listed } from '../chain/index.js';
import { ListedReader } from './listed-reader.js';

const listed = Array.from({ length: 200 }, (_, n) => ({ txId: `${n}`, slot: BigInt(n) }) as Listed);

test('attack: a stranger on the chain lands transactions that take long to record: few are recorded at a time', async () => {
  const now = { ms: 0 };
  const chain = { rpc: { call: async () => null, name: 'node' } };
  const reader = new ListedReader(chain as never, { decode: () => [] }, () => now.ms);
  /** The sizes of batches where a transaction takes so long to record. */
  const sizes = async (tookMs: number) => {
    const found: number[] = [];
    for (const batch of reader.batches(listed)) {
      await reader.read(batch);
      now.ms += tookMs * batch.length;
      reader.recorded(batch.length, tookMs * batch.length);
      now.ms += 2_000;
      found.push(batch.length);
    }
    return found;
  };
  assert.equal(Math.max(...(await sizes(1))), 32);
  const slow = await sizes(150);
  assert.ok(
    slow.slice(4).every((size) => size <= 8),
    `${slow}`,
  );
  assert.equal(Math.max(...(await sizes(1))), 32);
});
