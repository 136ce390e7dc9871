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

test("attack: another user of the signer's network connects without a certificate of a caller, as often as he likes: one line a second in its log, with a count", (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: Record<string, unknown>[] = [];
  const note = createSignerLog((text) => void lines.push(JSON.parse(text)));
  const seconds = 3;
  for (let second = 0; second < seconds; second++) {
    for (let each = 0; each < 1_000; each++) {
      note('a connection without a valid certificate', { reason: `reason ${each}` });
      note('a certificate names no caller', {});
    }
    t.mock.timers.tick(1_000);
  }
  // The first of each, and how many more there were each second.
  assert.equal(lines.length, 2 * (1 + seconds));
  const counted = lines.reduce((sum, { repeated }) => sum + (repeated === undefined ? 1 : (repeated as number)), 0);
  assert.equal(counted, 2 * seconds * 1_000);
});

test('attack: a copy that was broken into opens more connections than it may, as often as it likes: one line a second in the log of its signer, with a count', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: Record<string, unknown>[] = [];
  const note = createSignerLog((text) => void lines.push(JSON.parse(text)));
  for (let each = 0; each < 1_000; each++) note('too many connections of a caller', { caller: 'api' });
  note('too many connections of a caller', { caller: 'keeper' });
  t.mock.timers.tick(1_000);
  assert.deepEqual(
    lines.map(({ caller, repeated }) => [caller, repeated]),
    [
      ['api', undefined],
      ['keeper', undefined],
      ['api', 999],
    ],
  );
});

test('attack: a copy that was broken into has what steers a terminal in its reasons and names: the log of the signer has it as escapes', () => {
  let text = '';
  const note = createSignerLog((line) => {
    text += line;
  });
  const why = 'a\u001b[2J\u009b2J\u009d52;c;cm0gLXJm\u009c';
  note('a caller has said what is stopped', { caller: 'api', stopped: { fills: why } });
  assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
  assert.equal(JSON.parse(text).stopped.fills, why, 'programs get what there is');
});
