import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

test('nor does an empty one, as the power leaves it that goes just after a start', (t) => {
  const folder = tempFolder(t);
  writeFileSync(join(folder, 'lock'), '');
  lockFolder(folder)();
  assert.deepEqual(readdirSync(folder), []);
});

const PATIENCE_MS = 120_000;
const NOBODY = 65_534;

/** Locks a folder as a service of systemd that sees its own user's processes only, and nothing else of /proc. */
function lockUnseeing(folder: string, silenceMs = 300): string {
  chownSync(folder, NOBODY, NOBODY);
  const script = `import { lockFolder } from ${JSON.stringify(LOCK_MODULE)};
    try { lockFolder(${JSON.stringify(folder)}, ${silenceMs}); console.log('locked'); }
    catch (error) { console.log(error.message); }`;
  const user = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath];
  const command = 'mount -t proc -o subset=pid,hidepid=2 proc /proc && exec "$@"';
  const args = [
    '-m',
    '--propagation',
    'private',
    'sh',
    '-c',
    command,
    'sh',
    ...user,
    '--input-type=module',
    '-e',
    script,
  ];
  return spawnSync('unshare', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
}

test('attack: another user of the machine has the number of a killed process, which its unit hides from the next one: the lock is taken', async (t) => {
  if (lockUnseeing(tempFolder(t)) !== 'locked') return t.skip('needs root, and mounts');
  const folder = tempFolder(t);
  const lock = join(folder, 'lock');
  const touching = `setInterval(() => require('node:fs').utimesSync(${JSON.stringify(lock)}, new Date(), new Date()), 100)`;
  const neighbour = spawn(process.execPath, ['-e', `${touching}; console.log('began')`]);
  t.after(() => neighbour.kill('SIGKILL'));
  writeFileSync(lock, `${neighbour.pid} 12345 `);
  await once(neighbour.stdout, 'data');
  // One that lives shows it, whoever it belongs to.
  assert.match(lockUnseeing(folder, PATIENCE_MS), new RegExp(`is in use by process ${neighbour.pid}: `));
  writeFileSync(lock, `${process.pid} 12345 `);
  neighbour.kill('SIGKILL');
  await once(neighbour, 'exit');
  assert.equal(lockUnseeing(folder), 'locked');
});

/** As it is written where processes have other numbers. */
const ELSEWHERE = '1 12345 of-another-container';

test('attack: an operator by mistake starts a second process on one folder in another container, where the first one has no number: refused', async (t) => {
  const folder = tempFolder(t);
  const lock = join(folder, 'lock');
  const script = `const fs = require('node:fs');
    fs.writeFileSync(${JSON.stringify(lock)}, ${JSON.stringify(ELSEWHERE)});
    setInterval(() => fs.utimesSync(${JSON.stringify(lock)}, new Date(), new Date()), 300);
    console.log('has it');`;
  const first = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => first.kill('SIGKILL'));
  await once(first.stdout, 'data');
  // It may stand still for longer than one that is gone is waited for.
  assert.throws(
    () => lockFolder(folder, PATIENCE_MS),
    (error) =>
      error instanceof ChainError && /process 1 of another container or machine: stop it there/.test(error.message),
  );
  assert.equal(readFileSync(lock, 'utf8'), ELSEWHERE);
  first.kill('SIGKILL');
  await once(first, 'exit');
  // Nobody touches it any more.
  lockFolder(folder)();
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock that was left behind in another container long ago is not waited for', (t) => {
  const folder = tempFolder(t);
  writeFileSync(join(folder, 'lock'), ELSEWHERE);
  utimesSync(join(folder, 'lock'), 1, 1);
  lockFolder(folder)();
  assert.deepEqual(readdirSync(folder), []);
});

test('whoever has a lock shows that he is there', async (t) => {
  const folder = tempFolder(t);
  const unlock = lockFolder(folder);
  const touched = () => statSync(join(folder, 'lock')).mtimeMs;
  const before = touched();
  while (touched() === before) await sleep(50);
  unlock();
});
