import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSignerSettings } from './settings.js';

test('a signer whose callers have logins must be told which service it is', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'slipway.signer.json');
  const read = (roles: string[], more: object = {}) => {
    writeFileSync(
      path,
      JSON.stringify({ file: 'signer.json', callers: { one: { roles, socket: 'one.sock' } }, ...more }),
    );
    return readSignerSettings(path);
  };
  await assert.rejects(
    read(['keeper', 'api']),
    /publicUrl: expected that of the service, because one has the role api/,
  );
  for (const publicUrl of ['api.example.com', 'https://', 'https://a b'])
    await assert.rejects(read(['api'], { publicUrl }), /publicUrl/, publicUrl);
  assert.equal((await read(['keeper'])).service, undefined);
  const { service } = await read(['api'], { publicUrl: 'https://api.example.com/x' });
  assert.match(service!.challengePrefix(), /at api\.example\.com that you are the owner of$/);
  assert.deepEqual([service!.host(), service!.maxUnsignedSlippageBps], ['api.example.com', 2_000]);
  const own = await read(['api'], {
    publicUrl: 'https://a.example',
    challengePrefix: 'Log in',
    maxUnsignedSlippageBps: 5,
  });
  assert.deepEqual([own.service!.challengePrefix(), own.service!.maxUnsignedSlippageBps], ['Log in', 5]);
});
