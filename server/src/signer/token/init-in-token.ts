import { createPrivateFile, PrivateFileError, readPrivateFile } from '../private-file.js';
import { loadSeed, openSigner, type Signer } from '../signer.js';
import type { Token } from './token.js';
import { openSeedInToken, SEED_KEY, sealSeedInToken } from './token-seed.js';
import { labelOf, TOKEN_ROLES } from './token-wallets.js';

interface Init {
  /** The signer file. */
  file: string;
  /** The same seed under a passphrase; it is taken from here where the file exists. */
  backup: string;
  passphrase: string;
  token: Token;
}

/**
 * Makes the keys in a token, and a signer file that it opens. It can be killed at any point and run again: what is there
 * already is used, but no signer file is overwritten.
 *
 * @throws PrivateFileError, TokenError
 */
export async function initInToken({ file, backup, passphrase, token }: Init): Promise<Signer> {
  const taken = () => new PrivateFileError(`${file} exists already, and is left as it is`);
  if ((await readPrivateFile(file)) !== undefined) throw taken();
  const seed = await loadSeed({ file: backup, passphrase, create: true });
  try {
    for (const label of TOKEN_ROLES.map(labelOf)) if (!(await token.has(label))) await token.generateEd25519(label);
    if (!(await token.has(SEED_KEY))) await token.generateAes(SEED_KEY);
    const text = await sealSeedInToken(seed, token);
    const found = await openSeedInToken(text, token, file);
    const isSame = Buffer.compare(found, seed) === 0;
    found.fill(0);
    if (!isSame) throw new PrivateFileError(`${token.name} gives back other bytes than it was given`);
    if (!(await createPrivateFile(file, text))) throw taken();
  } finally {
    seed.fill(0);
  }
  return openSigner({ file, token, create: false });
}
