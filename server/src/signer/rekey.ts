import { managedBy } from './managed-file.js';
import { PrivateFileError, readPrivateFile, replacePrivateFile, whileLocked } from './private-file.js';
import { openSeed, sealSeed, WrongPassphrase } from './seed-file.js';
import { joined, partsOf } from './wallet-keys.js';

interface Rekeying {
  /** The signer file. */
  file: string;
  passphrase: string;
  newPassphrase: string;
}

/**
 * Encrypts the seed of a signer file under another passphrase: its keys stay as they are. It can be killed at any point, and
 * run again: the file opens with the old passphrase or with the new one. Of two at once, one is refused.
 *
 * @returns false when the file has the new passphrase already.
 * @throws PrivateFileError when the file cannot be opened; it is then as it was.
 */
export function rekeySeedFile(rekeying: Rekeying): Promise<boolean> {
  return whileLocked(rekeying.file, () => rekeyLocked(rekeying));
}

async function rekeyLocked({ file, passphrase, newPassphrase }: Rekeying): Promise<boolean> {
  const content = await readPrivateFile(file);
  if (content === undefined) throw new PrivateFileError(`there is no signer file at ${file}`);
  const { seed: text, wallets } = partsOf(content.toString('utf8'));
  const opener = managedBy(text);
  if (opener !== undefined) throw new PrivateFileError(`${file} is for ${opener}: name both by --config`);
  const seed = await seedUnder(text, passphrase, newPassphrase, file);
  if (seed === undefined) return false;
  try {
    const content = joined({ seed: await sealSeed(seed, newPassphrase), wallets });
    await replacePrivateFile(file, content, async (written) => {
      const found = await openSeed(partsOf(written).seed, newPassphrase, file);
      const isSame = Buffer.compare(found, seed) === 0;
      found.fill(0);
      if (!isSame) throw new PrivateFileError(`the disk of ${file} keeps other bytes than were written`);
    });
    return true;
  } finally {
    seed.fill(0);
  }
}

/** Undefined when it is the new passphrase that opens the file. */
async function seedUnder(
  text: string,
  passphrase: string,
  newPassphrase: string,
  file: string,
): Promise<Uint8Array | undefined> {
  const failure = await openSeed(text, passphrase, file).catch((error: Error) => error);
  if (!(failure instanceof Error)) {
    if (passphrase !== newPassphrase) return failure;
    failure.fill(0);
    return undefined;
  }
  if (!(failure instanceof WrongPassphrase)) throw failure;
  const found = await openSeed(text, newPassphrase, file).catch(() => undefined);
  if (found === undefined) throw failure;
  found.fill(0);
  return undefined;
}
