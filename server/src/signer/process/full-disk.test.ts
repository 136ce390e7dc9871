import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSigner } from '../signer.js';
import { connectSigner } from '../socket/client.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
/** A file that takes nothing, as one on a full disk. */
const FULL = '/dev/full';
const PASSPHRASE = 'a passphrase of the test';

test('attack: an operator by mistake has the log of the signer on a full disk: it goes on, and signs', {
  skip: !existsSync(FULL) && `there is no ${FULL} here`,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-full-disk-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'operator.sock');
  await openSigner({ file: join(folder, 'signer.json'), passphrase: PASSPHRASE, create: true });
  const callers = { operator: { roles: ['operator'], socket: path } };
  writeFileSync(join(folder, 'slipway.signer.json'), JSON.stringify({ file: 'signer.json', callers }));
  const log = openSync(FULL, 'w');
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN, 'signer'], {
    cwd: folder,
    env: { PATH, SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE },
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for (let connections = 0; connections < 3; connections++) {
    // Each is a line of the log, and its end another.
    const client = await connectSigner({ endpoint: { path }, name: 'the signer', patienceMs: 120_000 });
    assert.equal((await client.sign('tracker', Buffer.from('a message'))).length, 64);
    client.close();
  }
  assert.equal(child.exitCode, null);
});
