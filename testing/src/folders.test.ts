import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeAbandoned } from './folders.js';

/** Larger than any process has. */
const NOBODY = 2 ** 31 - 2;

test('attack: another user of the machine leaves folders as tests do, to put a link to a folder of ours into one while we remove it: none of his is touched', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'slipway-folders-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const [abandoned, used, link] = [NOBODY, process.pid, NOBODY - 1].map((pid) =>
    join(parent, `slipway-testing-${pid}-x`),
  );
  for (const folder of [abandoned!, used!]) {
    mkdirSync(join(folder, 'chain'), { recursive: true });
    writeFileSync(join(folder, 'chain', 'state'), '');
  }
  symlinkSync(used!, link!);
  const left = () => [abandoned, used, link].map((path) => existsSync(join(path!, 'chain', 'state')));

  const user = process.getuid?.();
  if (user !== undefined) {
    await removeAbandoned(parent, user + 1);
    assert.deepEqual(left(), [true, true, true]);
  }
  await removeAbandoned(parent);
  assert.deepEqual(left(), [false, true, true]);
});
