import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createFailureLog } from './failure-log.js';

function openLog(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: { msg: string; id: number; repeated?: number }[] = [];
  const failures = createFailureLog((line, msg) => void lines.push({ ...(line as { id: number }), msg }), 'failed');
  return { report: (kind: string, id: number) => failures.report(kind, () => ({ id })), lines };
}

test('failures of one kind are one line a second, and the next line says how many there were', (t) => {
  const { report, lines } = openLog(t);
  for (let id = 1; id <= 20_000; id += 1) report('no database', id);
  report('a defect', 7);
  assert.deepEqual(
    lines.map(({ id, repeated }) => [id, repeated]),
    [
      [1, undefined],
      [7, undefined],
    ],
  );
  t.mock.timers.tick(1000);
  assert.equal(lines.length, 3);
  assert.deepEqual(lines[2], { id: 20_000, repeated: 19_999, msg: 'failed, as others in the last second' });
});

test('a kind that goes on stays at one line a second, and one that has ended is written at once again', (t) => {
  const { report, lines } = openLog(t);
  for (let second = 0; second < 5; second += 1) {
    for (let each = 0; each < 10; each += 1) report('no database', second);
    t.mock.timers.tick(1000);
  }
  assert.deepEqual(
    lines.map(({ repeated }) => repeated),
    [undefined, 9, 10, 10, 10, 10],
  );
  t.mock.timers.tick(1000);
  report('no database', 99);
  assert.equal(lines.at(-1)!.id, 99);
  assert.equal(lines.length, 7);
});
