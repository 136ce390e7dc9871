import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { ChainError } from './chain.js';
import { tempFolder } from './chain-testing.js';
import { lockFolder } from './lock.js';

const LOCK_MODULE = fileURLToPath(new URL('./lock.js', import.meta.url));

function lockInAnotherProcess(folder: string): string {
  const script = `import { lockFolder } from ${JSON.stringify(LOCK_MODULE)};
    try { lockFolder(${JSON.stringify(folder)}); console.log('locked ' + process.pid); }
    catch (error) { console.log(error.message); }`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.trim();
}

test('a folder has one process at a time, which the refusal names', (t) => {
  const folder = tempFolder(t);
  const unlock = lockFolder(folder);
  const { pid } = process;
  const refusal = lockInAnotherProcess(folder);
  assert.ok(
    refusal.startsWith(`the data folder ${folder} is in use by process ${pid}: stop it (kill ${pid}), `),
    refusal,
  );
  assert.match(refusal, /SLIPWAY_DATA_DIR/);
  assert.throws(
    () => lockFolder(folder),
    (error) => error instanceof ChainError && error.kind === 'data',
  );
  unlock();
  assert.deepEqual(readdirSync(folder), []);
  assert.match(lockInAnotherProcess(folder), /^locked/);
});

test('the lock of a process that is gone does not count', (t) => {
  const folder = tempFolder(t);
  const pid = lockInAnotherProcess(folder).split(' ')[1];
  assert.match(readFileSync(join(folder, 'lock'), 'utf8'), new RegExp(`^${pid} `));
  lockFolder(folder)();
  assert.deepEqual(readdirSync(folder), []);
});

test('nor does one of a process whose number another one has now', { skip: process.platform !== 'linux' }, (t) => {
  const folder = tempFolder(t);
  writeFileSync(join(folder, 'lock'), `${process.pid} 12345`);
  lockFolder(folder)();
  assert.deepEqual(readdirSync(folder), []);
});
