import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeFrame, FRAME_MS, MOST_FRAME_BYTES, readFrames } from './frames.js';

interface Reading {
  stream: Duplex;
  taken: unknown[];
  refused: string[];
}

function reading(): Reading {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const [taken, refused] = [[] as unknown[], [] as string[]];
  readFrames(
    stream,
    (value) => taken.push(value),
    ({ message }) => refused.push(message),
  );
  return { stream, taken, refused };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('frames are the same, in whatever parts they come', () => {
  const values = [{ a: 1 }, 'ü'.repeat(300), [], { long: 'x'.repeat(70_000) }, 0];
  const bytes = Buffer.concat(values.map(encodeFrame));
  for (const size of [1, 2, 3, 4, 5, 7, 64, 255, 256, 257, 4_099, bytes.length]) {
    const { stream, taken, refused } = reading();
    for (let at = 0; at < bytes.length; at += size) stream.emit('data', bytes.subarray(at, at + size));
    assert.deepEqual([taken, refused], [values, []], `parts of ${size} bytes`);
    stream.destroy();
  }
});

test('attack: a copy that was broken into sends a frame byte by byte: it costs the signer no more than twice its length', () => {
  const { stream, refused } = reading();
  const frame = encodeFrame('x'.repeat(MOST_FRAME_BYTES - 2));
  const before = usedBytes();
  // All but the last byte.
  for (const byte of frame.subarray(0, -1)) stream.emit('data', Buffer.from([byte]));
  const grown = usedBytes() - before;
  assert.ok(grown < 2_000_000, `${grown} bytes`);
  assert.deepEqual(refused, []);
  stream.destroy();
});

test('attack: a copy that was broken into begins frames and never ends them: its connection ends after five seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream, taken, refused } = reading();
  const frame = encodeFrame({ a: 1 });
  const send = (from: number, to?: number) => stream.emit('data', frame.subarray(from, to));
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await turn();
  };
  // One that comes in time, also where the next one has begun by then.
  send(0, 2);
  await pass(FRAME_MS - 1);
  send(2);
  send(0, 6);
  await pass(FRAME_MS - 1);
  assert.deepEqual([taken.length, refused], [1, []]);
  // What is not read because its sender does not read is not late.
  stream.pause();
  await pass(3 * FRAME_MS);
  assert.deepEqual(refused, []);
  stream.resume();
  await pass(FRAME_MS);
  assert.deepEqual([taken.length, refused], [1, ['a frame was not finished in time']]);
  send(6);
  assert.equal(taken.length, 1, 'nothing is read after it');
  stream.destroy();
});
