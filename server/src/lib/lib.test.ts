import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClock } from './clock.js';
import { createDisposal } from './disposal.js';
import { uuidv7 } from './ids.js';
import { cached } from './single-flight.js';

describe('request ids', () => {
  it('are version 7, carry the time, sort by it and never repeat', () => {
    let now = Date.UTC(2026, 10, 20);
    const clock = { now: () => now };
    const ids = Array.from({ length: 5_000 }, () => {
      now += 1;
      return uuidv7(clock);
    });
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual([...ids].sort(), ids);
    assert.equal(Number.parseInt(ids.at(-1)!.replace('-', '').slice(0, 12), 16), now);
  });
});

describe('the clock', () => {
  it('runs ahead by its offset', () => {
    const clock = createClock();
    clock.setOffset(3_600_000);
    assert.ok(Math.abs(clock.now() - Date.now() - 3_600_000) < 1_000);
  });
});

describe('a cached value', () => {
  it('is fetched once at a time, kept for its time, and not kept when it failed', async () => {
    let now = 0;
    let fetched = 0;
    let fail = false;
    const get = cached(
      async () => {
        fetched += 1;
        if (fail) throw new Error('away');
        return fetched;
      },
      100,
      () => now,
    );
    assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1]);
    now = 99;
    assert.equal(await get(), 1);
    now = 100;
    fail = true;
    await assert.rejects(get(), /away/);
    fail = false;
    assert.equal(await get(), 3);
  });
});

describe('disposal', () => {
  it('closes the last opened first, and all of them though one fails', async () => {
    const closed: string[] = [];
    const disposal = createDisposal();
    disposal.add('first', () => closed.push('first'));
    disposal.add('second', () => {
      throw new Error('stuck');
    });
    disposal.add('third', async () => closed.push('third'));
    const failed: string[] = [];
    await disposal.close((name) => failed.push(name));
    assert.deepEqual([closed, failed], [['third', 'first'], ['second']]);
    await disposal.close(() => assert.fail('nothing is closed twice'));
    assert.equal(closed.length, 2);
  });
});
