import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { createClock } from '../../lib/clock.js';
import { runningNow } from '../../lib/testing.js';
import type { KeyManagement, KeyManagementError } from '../key-management.js';
import { initManaged } from '../managed-file.js';
import type { PrivateFileError } from '../private-file.js';
import { openSigner } from '../signer.js';
import { type KmsSettings, openKmsKeys } from './kms-keys.js';
import { createRunningExchange, KEYS, KmsDouble, type Known } from './testing.js';

export const SESSION = 'a-session-token-that-nobody-may-see';

/** What is asked is in this process, and stands still with it. */
export const surroundings = () => ({ clock: createClock(), exchange: createRunningExchange(), steadyNow: runningNow });

/** A double of AWS KMS with the keys of a signer, and for each test a signer file of a seed. */
export class KmsPlace {
  readonly kms = new KmsDouble();
  readonly seed = randomBytes(32);
  settings!: KmsSettings;
  folder = '';
  /** The signer file, and what it holds at first. */
  file = '';
  sealed = '';

  keysOf(
    changes: Partial<KmsSettings['keys']> = {},
    by = KEYS,
    others: Partial<ReturnType<typeof surroundings>> = {},
  ): KeyManagement {
    const settings = { ...this.settings, keys: { ...this.settings.keys, ...changes } };
    return openKmsKeys(settings, { env: envOf(by), ...surroundings(), ...others });
  }

  open(changes: Partial<KmsSettings['keys']> = {}, by = KEYS): ReturnType<typeof openSigner> {
    return openSigner({ file: this.file, keys: this.keysOf(changes, by), create: false });
  }

  write(text: string): void {
    writeFileSync(this.file, text, { mode: 0o600 });
  }

  /** Why something did not happen; nothing secret is in it, nor in what it comes from. */
  async whyNot(work: Promise<unknown>, kind: typeof PrivateFileError | typeof KeyManagementError): Promise<string> {
    const error = await work.then(
      () => assert.fail('it happened'),
      (failure: unknown) => failure,
    );
    assert.ok(error instanceof kind, String(error));
    const { seed } = this;
    for (let each: unknown = error; each instanceof Error; each = each.cause) {
      const said = `${each.stack} ${JSON.stringify(each)}`;
      for (const secret of [KEYS.secretAccessKey, SESSION, 'canonical', seed.toString('base64'), seed.toString('hex')])
        assert.ok(!said.includes(secret), said);
    }
    return error.message;
  }

  async fill(): Promise<void> {
    this.folder = mkdtempSync(join(tmpdir(), 'slipway-kms-'));
    this.file = join(this.folder, 'signer.json');
    await initManaged({ file: this.file, keys: this.keysOf(), loadSeed: async () => new Uint8Array(this.seed) });
    this.sealed = readFileSync(this.file, 'utf8');
    this.kms.asked.length = 0;
  }

  reset(): void {
    this.kms.fault = () => undefined;
    this.kms.known = [KEYS];
    this.kms.ahead = 0;
    for (const key of this.kms.keys.values()) key.enabled = true;
    rmSync(this.folder, { recursive: true });
  }
}

/** One for all tests of the file that calls this. */
export function usePlace(): KmsPlace {
  const place = new KmsPlace();
  before(async () => {
    await place.kms.start();
    place.settings = place.kms.makeAll();
  });
  after(() => place.kms.stop());
  beforeEach(() => place.fill());
  afterEach(() => place.reset());
  return place;
}

const envOf = ({ accessKeyId, secretAccessKey, sessionToken }: Known) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
});
