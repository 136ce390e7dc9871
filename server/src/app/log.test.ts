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
