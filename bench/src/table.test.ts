import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from './runs.js';
import { goalTable } from './table.js';

const machine = { node: 'v20', cpu: '2 x some', loadBefore: 0, commit: 'abc', at: '2026-03-15T12:00:00Z' };
const run = (milliseconds: number): Run => ({
  machine,
  order: { figures: {}, goals: [{ goal: 'p99 under 5 ms', measured: `${milliseconds} ms`, met: milliseconds < 5 }] },
});

test('a table shows the middle run by number, the range, and in how many runs a goal was met', () => {
  assert.deepEqual(goalTable([run(10.5), run(4.2), run(9)]).slice(2), [
    '| p99 under 5 ms | 9 ms | 4.2..10.5 | 1 of 3 |',
  ]);
});

test('a goal that only some runs have measured counts those', () => {
  assert.deepEqual(goalTable([run(4), { machine }]).slice(2), ['| p99 under 5 ms | 4 ms | 4..4 | 1 of 1 |']);
});
