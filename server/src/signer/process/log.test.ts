import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignerLog } from './log.js';

test('what is refused to one caller is one line a second, with a count, and another caller has its own', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: Record<string, unknown>[] = [];
  const note = createSignerLog((text) => void lines.push(JSON.parse(text)));
  const refuse = (caller: string, key: string) =>
    note('not done', { caller, method: 'cosign', code: 'refused', message: 'a reason', key });
  for (let each = 1; each <= 1_000; each++) refuse('api', `vault:${each}`);
  refuse('keeper', 'keeper');
  note('connected', { caller: 'api' });
  assert.deepEqual(
    lines.map(({ msg, caller, key }) => [msg, caller, key]),
    [
      ['not done', 'api', 'vault:1'],
      ['not done', 'keeper', 'keeper'],
      ['connected', 'api', undefined],
    ],
  );
  t.mock.timers.tick(1_000);
  assert.equal(lines.length, 4);
  assert.equal(lines[3]!.repeated, 999);
  assert.match(String(lines[3]!.msg), /^not done, as others/);
});
