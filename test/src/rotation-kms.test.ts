import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { KEYS, KmsDouble } from '../../server/dist/signer/kms/testing.js';
import { run, SLIPWAY } from './command.js';
import { addressOf, CALLERS, exchangeUnderLoad, LIMITS, operatorOf, startUser } from './rotation-load.js';
import type { Service } from './service.js';
import { PUBLIC_URL, signerIn } from './signer-process.js';

describe('the keys of the wallets in AWS KMS, exchanged while they are used', () => {
  const kms = new KmsDouble();
  let folder: string;
  let signer: ReturnType<typeof signerIn>;
  let service: Service;

  const at = (name: string) => join(folder, name);
  const place = () => operatorOf(service, `unix:${at('operator.sock')}`);
  const signed = (alias: string) => {
    const { arn } = kms.keyOf(alias);
    return kms.asked.filter(({ operation, input }) => operation === 'Sign' && input.KeyId === arn).length;
  };

  before(async () => {
    await kms.start();
    folder = mkdtempSync(join(tmpdir(), 'slipway-kms-'));
    const callers = Object.entries(CALLERS).map(([name, roles]) => [name, { roles, socket: `${name}.sock` }]);
    const settings = { file: 'signer.json', publicUrl: PUBLIC_URL, kms: kms.makeAll(), limits: LIMITS };
    writeFileSync(at('slipway.signer.json'), JSON.stringify({ ...settings, callers: Object.fromEntries(callers) }));
    const env = { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey };
    const init = ['signer', 'init', '--backup', 'backup.json'];
    const passphrase = { SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of the backup' };
    const made = await run(SLIPWAY, init, { cwd: folder, env: { ...env, ...passphrase } });
    assert.equal(made.code, 0, made.error);
    signer = signerIn({ env, cwd: folder });
    await signer.start();
    service = await startUser(`unix:${at('sandbox.sock')}`);
  });
  after(async () => {
    await service?.close();
    await signer?.kill();
    await kms.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a next key that is not there: the command names its alias and what to do, and all goes on as before', async () => {
    const [file, before] = [readFileSync(at('signer.json'), 'utf8'), await addressOf(place(), 'gas')];
    const { code, error } = await run(SLIPWAY, ['signer', 'rotate', 'gas'], place());
    assert.equal(code, 1);
    assert.match(
      error,
      /AWS KMS has no key alias\/slipway-gas-2, the next one of the gas wallet: make a key of the spec/,
    );
    assert.equal(readFileSync(at('signer.json'), 'utf8'), file);
    assert.equal(await addressOf(place(), 'gas'), before);
  });

  /** The next key is there from now on. */
  const make = (wallet: string) => kms.make(`slipway-${wallet}-2`, 'ECC_NIST_EDWARDS25519');

  it("the gas's, killed at every stage, with the signer: the next alias takes over, and the one before signs until nothing needs it", async (t) => {
    make('gas');
    const killsAt = [/making key/, /getting .* ready/, /waiting for what was made/];
    const { old, now, done } = await exchangeUnderLoad(service, place(), 'gas', {
      killsAt,
      async betweenLoads() {
        await signer.kill();
        await signer.start();
      },
    });
    t.diagnostic(`meanwhile ${JSON.stringify(done)}`);
    assert.deepEqual(
      [old, now],
      ['alias/slipway-gas', 'alias/slipway-gas-2'].map((alias) => kms.addressOf(alias)),
    );
    // Crafted before and signed afterwards, the moves of its funds, and what all others do now.
    for (const alias of ['alias/slipway-gas', 'alias/slipway-gas-2']) assert.ok(signed(alias) > 0, alias);
    assert.deepEqual(kms.refused, []);
  });

  it("the tracker's, killed in the middle", async (t) => {
    make('tracker');
    const killsAt = [/waiting for what was made/];
    const { old, now, done } = await exchangeUnderLoad(service, place(), 'tracker', { killsAt });
    t.diagnostic(`meanwhile ${JSON.stringify(done)}`);
    const aliases = ['alias/slipway-tracker', 'alias/slipway-tracker-2'];
    assert.deepEqual(
      [old, now],
      aliases.map((alias) => kms.addressOf(alias)),
    );
    assert.deepEqual(kms.refused, []);
  });
});
