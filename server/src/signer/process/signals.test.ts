import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSigner } from '../signer.js';
import { connectSigner } from '../socket/client.js';
import { startSigner } from '../testing.js';

const PASSPHRASE = 'a passphrase of the test';

test('attack: an operator by mistake sends the signer the signal that begins a log anew elsewhere: it opens no debugger to the users of its machine', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-signals-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'operator.sock');
  await openSigner({ file: join(folder, 'signer.json'), passphrase: PASSPHRASE, create: true });
  const callers = { operator: { roles: ['operator'], socket: path } };
  writeFileSync(join(folder, 'slipway.signer.json'), JSON.stringify({ file: 'signer.json', callers }));
  const { child, ended, error } = startSigner([], { folder, env: { SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE } });
  t.after(() => child.kill('SIGKILL'));
  const client = await connectSigner({ endpoint: { path }, name: 'the signer', patienceMs: 120_000 });
  child.kill('SIGUSR1');
  for (let asked = 0; asked < 20; asked++) await client.sign('tracker', Buffer.from(`message ${asked}`));
  client.close();
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.doesNotMatch(error(), /debugger/i);
});
