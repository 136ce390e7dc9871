import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { openSigner } from '../signer.js';
import { connectSigner, type RemoteSigner } from '../socket/client.js';
import { CHEAP, deriveCheaply, KILLER, type Running, type runSigner, startSigner } from '../testing.js';
import type { KmsSettings } from './kms-keys.js';
import { KEYS, KmsDouble } from './testing.js';

export const PASSPHRASE = 'a passphrase of the backup';
export const INIT = ['init', '--backup', 'backup/signer.json', '--json'];
const ENV = {
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE,
};

type Env = Record<string, string>;

/** A double of AWS KMS, and for each test a folder with the settings of a `slipway signer` that uses it. */
export class ProcessPlace {
  readonly kms = new KmsDouble();
  settings!: KmsSettings;
  folder = '';
  /** What each `slipway signer` loads before. */
  readonly preload: string[] = [CHEAP];

  at(...names: string[]): string {
    return join(this.folder, ...names);
  }

  writeSettings(changes: object = {}): void {
    const settings = {
      file: 'keys/signer.json',
      publicUrl: 'http://slipway.example.com',
      kms: this.settings,
      callers: { operator: { roles: ['operator', 'api'], socket: 'operator.sock' } },
      ...changes,
    };
    writeFileSync(this.at('slipway.signer.json'), JSON.stringify(settings), { mode: 0o600 });
  }

  start(words: readonly string[] = [], env: Env = {}): Running {
    const preload = [...this.preload, ...(env.KILL_AT === undefined ? [] : [KILLER])];
    return startSigner(words, { folder: this.folder, env: { ...ENV, ...env }, preload });
  }

  /** Nothing secret is in what it says. */
  async run(words: readonly string[], env: Env = {}): ReturnType<typeof runSigner> {
    const { ended, out, error } = this.start(words, env);
    const code = await ended;
    for (const secret of [KEYS.secretAccessKey, PASSPHRASE]) assert.ok(!`${out()}${error()}`.includes(secret));
    return { code, out: out(), error: error() };
  }

  init(env?: Env): ReturnType<typeof runSigner> {
    return this.run(INIT, env);
  }

  signerFile(): string {
    return readFileSync(this.at('keys', 'signer.json'), 'utf8');
  }

  openBackup(): ReturnType<typeof openSigner> {
    return openSigner({ file: this.at('backup', 'signer.json'), passphrase: PASSPHRASE, create: false });
  }

  connect(): Promise<RemoteSigner> {
    const endpoint = { path: this.at('operator.sock') };
    return connectSigner({ endpoint, name: 'the signer', patienceMs: 120_000 });
  }
}

/** One for all tests of the file that calls this. */
export function useProcessPlace(): ProcessPlace {
  const place = new ProcessPlace();
  before(async () => {
    await deriveCheaply();
    await place.kms.start();
    place.settings = place.kms.makeAll();
  });
  after(() => place.kms.stop());
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'slipway-kms-'));
    for (const name of ['keys', 'backup']) mkdirSync(place.at(name), { mode: 0o700 });
    place.writeSettings();
  });
  afterEach(() => {
    place.kms.fault = () => undefined;
    place.kms.asked.length = 0;
    rmSync(place.folder, { recursive: true, force: true });
  });
  return place;
}
