import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/slipway.mjs', import.meta.url));

function run(file: string, argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file, ...argv], (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

test('before the first build one line says what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-launcher-'));
  try {
    await mkdir(join(folder, 'bin'));
    await cp(launcher, join(folder, 'bin', 'slipway.mjs'));
    const { code, out, err } = await run(join(folder, 'bin', 'slipway.mjs'), ['keys', 'list']);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^slipway: .*npm run build.*\n$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the exit code and both outputs reach the caller, without color codes', async () => {
  const help = await run(launcher, ['--help']);
  assert.equal(help.code, 0);
  assert.match(help.out, /verifications/);
  const wrong = await run(launcher, ['keyss', '--json']);
  assert.equal(wrong.code, 2);
  assert.match(JSON.parse(wrong.err).error, /did you mean keys/);
  assert.ok(!`${help.out}${wrong.err}`.includes('\u001b'));
});
