import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSigner } from '../../server/dist/signer/index.js';
import { launch, type Place, type Program, SLIPWAY } from './command.js';

/** What a service that uses it has as SLIPWAY_PUBLIC_URL. */
export const PUBLIC_URL = 'http://slipway.example.com';
const PASSPHRASE = 'a passphrase of the tests';

/** `slipway signer` in a process and a folder of its own. */
export interface SignerProcess {
  folder: string;
  /** The value of SLIPWAY_SIGNER_URL for one of its callers. */
  urlOf(caller: string): string;
  start(): Promise<void>;
  /** Ends it like the kernel does, and waits until it is gone. */
  kill(): Promise<void>;
  log(): string;
  close(): Promise<void>;
}

type Runs = Pick<SignerProcess, 'start' | 'kill' | 'log'>;

/** A signer whose settings are in this place, to be started and killed. */
export function signerIn(place: Place): Runs {
  let program: Program | undefined;
  let earlier = '';
  return {
    async start() {
      program = launch(SLIPWAY, ['signer'], place);
      await program.says(/is ready/);
    },
    async kill() {
      program?.child.kill('SIGKILL');
      await program?.ended;
      earlier += program?.log() ?? '';
      program = undefined;
    },
    log: () => earlier + (program?.log() ?? ''),
  };
}

/** Starts a signer with a new seed, whose callers have these roles and a socket each; `more` are other settings. */
export async function startSigner(callers: Record<string, string[]>, more: object = {}): Promise<SignerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-signer-'));
  mkdirSync(folder, { recursive: true });
  await openSigner({ file: join(folder, 'signer.json'), passphrase: PASSPHRASE, create: true });
  const entries = Object.entries(callers).map(([name, roles]) => [name, { roles, socket: `${name}.sock` }]);
  const settings = { file: 'signer.json', publicUrl: PUBLIC_URL, callers: Object.fromEntries(entries), ...more };
  writeFileSync(join(folder, 'slipway.signer.json'), JSON.stringify(settings));
  const env = { SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE };
  const own = signerIn({ env, cwd: folder });
  const signer: SignerProcess = {
    folder,
    urlOf: (caller) => `unix:${join(folder, `${caller}.sock`)}`,
    ...own,
    async close() {
      await signer.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await signer.start();
  return signer;
}
