import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';

const FULL = '/dev/full';
const script = `
  import { openLog } from ${JSON.stringify(new URL('./log.js', import.meta.url).href)};
  import { RecentLines } from ${JSON.stringify(new URL('../lib/recent-lines.js', import.meta.url).href)};
  const recent = new RecentLines();
  const log = openLog('info', recent);
  for (let i = 0; i < 3; i++) log.info('a line');
  setImmediate(() => console.log(recent.newest));
`;

test('goes on where standard error takes nothing, as a file on a full disk', {
  skip: !existsSync(FULL) && `there is no ${FULL}`,
}, () => {
  const stderr = openSync(FULL, 'w');
  try {
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', stderr],
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, '3\n']);
  } finally {
    closeSync(stderr);
  }
});

test('attack: a node says what steers a terminal: the log has it as escapes', () => {
  const hostile = 'a\u001b[2J\u009b2J\u007f';
  const said = `
    import { openLog } from ${JSON.stringify(new URL('./log.js', import.meta.url).href)};
    openLog('info', { push() {} }).warn({ reason: ${JSON.stringify(hostile)} }, 'a node failed');
  `;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', said], { encoding: 'utf8' });
  assert.doesNotMatch(stderr, /[^\P{Cc}\n]/u);
  assert.equal(JSON.parse(stderr).reason, hostile, 'programs get what there is');
});
