import { PrivateFileError, readPrivateFile, replacePrivateFile, whileLocked } from '../private-file.js';
import type { Token } from './token.js';
import { isOfToken, keyAfter, openSeedInToken, sealSeedInToken, seedKeyOf } from './token-seed.js';

interface Rekeying {
  file: string;
  token: Token;
}

/** The labels of the old key and the new one. */
interface Rekeyed {
  old: string;
  key: string;
}

/**
 * Encrypts the seed of a signer file with a new key of the token: what it signs for stays as it is. It can be killed at any
 * point, and run again; the old key stays in the token. Of two at once, one is refused.
 *
 * @throws PrivateFileError, TokenError; the file is then as it was.
 */
export function rekeyInToken(rekeying: Rekeying): Promise<Rekeyed> {
  return whileLocked(rekeying.file, () => rekeyLocked(rekeying));
}

async function rekeyLocked({ file, token }: Rekeying): Promise<Rekeyed> {
  const text = (await readPrivateFile(file))?.toString('utf8');
  if (text === undefined) throw new PrivateFileError(`there is no signer file at ${file}`);
  if (!isOfToken(text)) throw new PrivateFileError(`${file} has a passphrase, and the settings name a token`);
  const seed = await openSeedInToken(text, token, file);
  try {
    const old = seedKeyOf(text);
    const key = keyAfter(old);
    // There is one already where an earlier attempt was killed.
    if (!(await token.has(key))) await token.generateAes(key);
    await replacePrivateFile(file, await sealSeedInToken(seed, token, key), async (written) => {
      const found = await openSeedInToken(written, token, file);
      const isSame = Buffer.compare(found, seed) === 0;
      found.fill(0);
      if (!isSame) throw new PrivateFileError(`${token.name} gives back other bytes than it was given`);
    });
    return { old, key };
  } finally {
    seed.fill(0);
  }
}
