import assert from 'node:assert/strict';
import { afterEach, beforeEach, it, mock } from 'node:test';
import type { Logger } from 'pino';
import { Loop, type LoopOptions } from './loop.js';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

const warn = mock.fn();
const log = { warn } as unknown as Logger;

function newLoop(turn: () => Promise<void>, options: Partial<LoopOptions> = {}) {
  warn.mock.resetCalls();
  return new Loop(turn, { intervalMs: 1_000, log, failure: 'it failed', ...options });
}

/** Lets the timers that are due then run, and what they have begun. */
async function pass(milliseconds: number) {
  mock.timers.tick(milliseconds);
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}

it('takes a turn at the start, and one an interval after each', async () => {
  let turns = 0;
  const loop = newLoop(async () => void turns++);
  loop.start();
  await pass(0);
  assert.equal(turns, 1);
  await pass(999);
  assert.equal(turns, 1);
  await pass(1);
  assert.equal(turns, 2);
  await loop.close();
  await pass(10_000);
  assert.equal(turns, 2);
});

it('waits before its first turn where it shall', async () => {
  let turns = 0;
  const loop = newLoop(async () => void turns++, { firstMs: 500 });
  loop.start();
  await pass(499);
  assert.equal(turns, 0);
  await pass(1);
  assert.equal(turns, 1);
  await loop.close();
});

it('takes its next turn soon once it is woken, however often', async () => {
  let turns = 0;
  const loop = newLoop(async () => void turns++, { soonMs: 100 });
  loop.start();
  await pass(0);
  loop.wake();
  await pass(60);
  loop.wake();
  await pass(40);
  assert.equal(turns, 2);
  await pass(999);
  assert.equal(turns, 2);
  await loop.close();
});

it('takes another turn soon when it is woken during one', async () => {
  let turns = 0;
  let end = () => {};
  const loop = newLoop(
    () => {
      turns++;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    { soonMs: 100 },
  );
  loop.start();
  await pass(0);
  loop.wake();
  await pass(5_000);
  assert.equal(turns, 1, 'one at a time');
  end();
  await pass(0);
  await pass(100);
  assert.equal(turns, 2);
  end();
  await loop.close();
});

it('goes on after a turn that fails, and says so: each time, or once until one succeeds', async () => {
  for (const logsFirstFailureOnly of [false, true]) {
    let isBroken = true;
    const loop = newLoop(
      async () => {
        if (isBroken) throw new Error('broken');
      },
      { logsFirstFailureOnly },
    );
    await assert.rejects(loop.tick(), /broken/, 'who asks for a turn hears of it');
    loop.start();
    await pass(0);
    await pass(1_000);
    assert.equal(warn.mock.callCount(), logsFirstFailureOnly ? 1 : 2);
    assert.deepEqual(warn.mock.calls[0]!.arguments, [{ reason: 'broken' }, 'it failed']);
    isBroken = false;
    await pass(1_000);
    isBroken = true;
    await pass(1_000);
    assert.equal(warn.mock.callCount(), logsFirstFailureOnly ? 2 : 3);
    await loop.close();
  }
});

it('waits for the turn that runs when it is closed, and takes none of those that were asked for', async () => {
  let turns = 0;
  let end = () => {};
  const loop = newLoop(() => {
    turns++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const [running, asked] = [loop.tick(), loop.tick()];
  await pass(0);
  let isClosed = false;
  const closing = loop.close().then(() => {
    isClosed = true;
  });
  await pass(0);
  assert.equal(isClosed, false);
  end();
  await Promise.all([running, closing]);
  assert.equal(await asked, undefined);
  assert.equal(turns, 1);
});
