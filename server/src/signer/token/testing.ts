import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where SoftHSM is. */
export const LIBRARY = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].find(existsSync);
export const PIN = '314159';
export const LABEL = 'slipway-test';

/** Why tests with a token cannot run here. */
export function missing(): string | false {
  if (LIBRARY === undefined) return 'SoftHSM is not installed: apt-get install softhsm2';
  try {
    createRequire(import.meta.url)('pkcs11js');
    return false;
  } catch {
    return 'pkcs11js is not installed, or not in NODE_PATH: npm install --prefix FOLDER pkcs11js, see docs/signer.md';
  }
}

/** Makes a token of SoftHSM without keys; the value of SOFTHSM2_CONF with which a program finds it. */
export function newToken(folder: string, name: string): string {
  const [place, conf] = [join(folder, name), join(folder, `${name}.conf`)];
  mkdirSync(place);
  writeFileSync(conf, `directories.tokendir = ${place}\nlog.level = ERROR\n`);
  const words = ['--init-token', '--free', '--label', LABEL, '--pin', PIN, '--so-pin', '27182818'];
  const { PATH = '' } = process.env;
  execFileSync('softhsm2-util', words, { env: { PATH, SOFTHSM2_CONF: conf }, stdio: 'pipe' });
  return conf;
}
