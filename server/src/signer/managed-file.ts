import { type KeyManagement, KeyManagementError, type SeedText } from './key-management.js';
import {
  createPrivateFile,
  PrivateFileError,
  readPrivateFile,
  replacePrivateFile,
  whileLocked,
} from './private-file.js';
import { joined, partsOf } from './wallet-keys.js';

/** What signer files of each version are for; the first has a passphrase. */
const OPENED_BY = new Map<unknown, string>([
  [2, 'a token'],
  [3, 'keys in AWS KMS'],
]);

const versionOf = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { version?: unknown } | null)?.version;
  } catch {
    return undefined;
  }
};

/** What a signer file is for, in words; undefined where it has a passphrase, or is none. */
export const managedBy = (text: string): string | undefined => OPENED_BY.get(versionOf(text));

/** @throws PrivateFileError unless this key management opens signer files of this kind. */
export function requireManaged({ text, path }: SeedText, { fileVersion }: KeyManagement): void {
  if (versionOf(text) === fileVersion) return;
  const [found, named] = [managedBy(text), OPENED_BY.get(fileVersion)];
  const what = found === undefined ? 'has a passphrase' : `is for ${found}`;
  throw new PrivateFileError(`${path} ${what}, and the settings name ${named}: see docs/signer.md`);
}

interface Init {
  /** The signer file. */
  file: string;
  keys: KeyManagement;
  /** The seed for it, which the caller overwrites. */
  loadSeed: () => Promise<Uint8Array>;
}

/**
 * Has keys in key management, and makes a signer file that it opens. It can be killed at any point and run again: what is
 * there already is used, but no signer file is overwritten.
 *
 * @throws PrivateFileError, KeyManagementError
 */
export async function initManaged({ file, keys, loadSeed }: Init): Promise<void> {
  const taken = () => new PrivateFileError(`${file} exists already, and is left as it is`);
  if ((await readPrivateFile(file)) !== undefined) throw taken();
  await keys.prepare();
  const seed = await loadSeed();
  try {
    const text = await keys.sealSeed(seed);
    await requireSame(keys, { text, path: file }, seed);
    if (!(await createPrivateFile(file, text))) throw taken();
  } finally {
    seed.fill(0);
  }
}

interface Rekeying {
  file: string;
  keys: KeyManagement;
  /** Which key the operator wants. */
  wanted?: string | undefined;
}

interface Rekeyed {
  old: string;
  key: string;
  /** False when the file had the key already. */
  changed: boolean;
}

/**
 * Encrypts the seed of a signer file with another key of key management: what it signs for stays as it is. It can be killed at
 * any point, and run again; the old key stays where it is. Of two at once, one is refused.
 *
 * @throws PrivateFileError, KeyManagementError; the file is then as it was.
 */
export function rekeyManaged(rekeying: Rekeying): Promise<Rekeyed> {
  return whileLocked(rekeying.file, () => rekeyLocked(rekeying));
}

async function rekeyLocked({ file, keys, wanted }: Rekeying): Promise<Rekeyed> {
  const content = await readPrivateFile(file);
  if (content === undefined) throw new PrivateFileError(`there is no signer file at ${file}`);
  const { seed: text, wallets } = partsOf(content.toString('utf8'));
  requireManaged({ text, path: file }, keys);
  const old = keys.seedKeyOf(text);
  const key = await keys.keyAfter(old, wanted);
  const changed = key !== old;
  const seed = await keys.openSeed({ text, path: file }, changed ? undefined : key);
  try {
    if (!changed) return { old, key, changed };
    const renewed = joined({ seed: await keys.sealSeed(seed, key), wallets });
    await replacePrivateFile(file, renewed, (written) =>
      requireSame(keys, { text: partsOf(written).seed, path: file }, seed, key),
    );
    return { old, key, changed };
  } finally {
    seed.fill(0);
  }
}

async function requireSame(keys: KeyManagement, file: SeedText, seed: Uint8Array, key?: string): Promise<void> {
  const found = await keys.openSeed(file, key);
  const isSame = Buffer.compare(found, seed) === 0;
  found.fill(0);
  if (!isSame) throw new KeyManagementError(`${keys.name} gives back other bytes than it was given`);
}
