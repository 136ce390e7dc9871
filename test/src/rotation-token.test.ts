import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LABEL, LIBRARY, missing, newToken, PIN } from '../../server/dist/signer/token/testing.js';
import { run, SLIPWAY } from './command.js';
import { CALLERS, exchangeUnderLoad, LIMITS, operatorOf, startUser } from './rotation-load.js';
import type { Service } from './service.js';
import { PUBLIC_URL, signerIn } from './signer-process.js';

describe('the keys of the wallets in a token, exchanged while they are used', { skip: missing() }, () => {
  let folder: string;
  let signer: ReturnType<typeof signerIn>;
  let service: Service;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-token-'));
    const callers = Object.entries(CALLERS).map(([name, roles]) => [name, { roles, socket: `${name}.sock` }]);
    const token = { module: LIBRARY, label: LABEL };
    const settings = { file: 'signer.json', publicUrl: PUBLIC_URL, token, limits: LIMITS };
    const content = JSON.stringify({ ...settings, callers: Object.fromEntries(callers) });
    writeFileSync(join(folder, 'slipway.signer.json'), content);
    const env = { SOFTHSM2_CONF: newToken(folder, 'tokens'), SLIPWAY_SIGNER_PIN: PIN };
    const passphrase = { SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of the backup' };
    const init = ['signer', 'init', '--backup', 'backup.json'];
    const made = await run(SLIPWAY, init, { cwd: folder, env: { ...env, ...passphrase } });
    assert.equal(made.code, 0, made.error);
    signer = signerIn({ env, cwd: folder });
    await signer.start();
    service = await startUser(`unix:${join(folder, 'sandbox.sock')}`);
  });
  after(async () => {
    await service?.close();
    await signer?.kill();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it("the gas's, killed at every stage, with the signer: the token makes the next one, and the one before signs until nothing needs it", async (t) => {
    const { done } = await exchangeUnderLoad(
      service,
      operatorOf(service, `unix:${join(folder, 'operator.sock')}`),
      'gas',
      {
        killsAt: [/making key/, /waiting for what was made/],
        async betweenLoads() {
          await signer.kill();
          await signer.start();
        },
      },
    );
    t.diagnostic(`meanwhile ${JSON.stringify(done)}`);
  });
});
