import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { PATIENCE_MS } from '../lib/testing.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { startKeeper } from './keeper.js';

test('attack: a node gives a program a history without end: what else is due is done all the same, and the service stops', async () => {
  let turns = 0;
  let isDone: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const keeper = startKeeper({
    chores: [
      async () => {
        turns += 1;
        if (turns === 2) isDone();
      },
      () => new Promise(() => {}),
    ],
    loops: [],
    log: pino({ level: 'silent' }),
  });
  assert.ok(await waitAtMost(PATIENCE_MS, done), `${turns} turns`);
  assert.ok(await waitAtMost(PATIENCE_MS, keeper.close()), 'it does not stop');
});
