import { createHash } from 'node:crypto';
import type { Address } from '@slipway/wire';
import type { SeedText } from '../key-management.js';
import { PrivateFileError } from '../private-file.js';
import { roleKeypair } from '../roles.js';
import type { WalletRole } from '../wallet-keys.js';
import type { KmsClient } from './kms-client.js';
import { KmsError } from './kms-error.js';

/** The version of a signer file that AWS KMS opens. */
export const KMS_FILE = 3;

const SEED_BYTES = 32;
/** The longest that AWS KMS makes. */
const MOST_CIPHERTEXT_BYTES = 6_144;
const PURPOSE = 'slipway signer seed';
const ALGORITHM = 'SYMMETRIC_DEFAULT';

/** Of the first key of each wallet. */
export type FirstAddresses = Readonly<Record<WalletRole, Address>>;

/**
 * Whose seed it is, and which one: the addresses of the wallets, and of the seed's own `seal`. AWS KMS authenticates it, writes
 * it into its records, and policies can name it. Nothing of it is secret.
 */
interface SeedContext extends FirstAddresses {
  purpose: typeof PURPOSE;
  seal: string;
}
const CONTEXT_NAMES = ['purpose', 'gas', 'keeper', 'tracker', 'seal'] as const;

interface KmsSeedFile {
  version: typeof KMS_FILE;
  /** The ARN of the key that it was encrypted with. */
  key: string;
  context: SeedContext;
  /** What AWS KMS made of the seed, in hex. */
  ciphertext: string;
}

interface Sealing {
  kms: KmsClient;
  /** The id, the ARN or the alias of the key. */
  key: string;
  addresses: FirstAddresses;
}

/** Encrypts a seed with a key in AWS KMS; the text is the whole content of a signer file. @throws KmsError */
export async function sealSeedInKms(seed: Uint8Array, { kms, key, addresses }: Sealing): Promise<string> {
  const context = contextOf(addresses, roleKeypair(seed, 'seal').address);
  const { KeyId, CiphertextBlob } = await kms.call('Encrypt', {
    KeyId: key,
    Plaintext: Buffer.from(seed).toString('base64'),
    EncryptionContext: context,
    EncryptionAlgorithm: ALGORITHM,
  });
  const ciphertext = bytesOf(CiphertextBlob);
  if (typeof KeyId !== 'string' || ciphertext === undefined || ciphertext.length > MOST_CIPHERTEXT_BYTES) {
    throw new KmsError('what AWS KMS has encrypted is no ciphertext');
  }
  return render({ version: KMS_FILE, key: KeyId, context, ciphertext: ciphertext.toString('hex') });
}

/** The ARN of the key that the content of a whole signer file is encrypted with. */
export const seedKeyOf = (text: string): string => (JSON.parse(text) as KmsSeedFile).key;

/**
 * Decrypts the content of a signer file, with this key and no other: whoever writes the file cannot have it opened with a key
 * of his own.
 *
 * @throws PrivateFileError when it is damaged, or of other keys; KmsError when AWS KMS cannot be used.
 */
export async function openSeedInKms({ text, path }: SeedText, { kms, key, addresses }: Sealing): Promise<Uint8Array> {
  const file = JSON.parse(text) as KmsSeedFile;
  if (!isWhole(file, text)) throw new PrivateFileError(`${path} is damaged: restore it from a backup`);
  const other = (['gas', 'keeper', 'tracker'] as const).find((role) => file.context[role] !== addresses[role]);
  if (other !== undefined) {
    throw new PrivateFileError(
      `${path} is for the ${other} wallet ${file.context[other]}, and kms.keys.${other} is ${addresses[other]}: name the key that was there when the file was made`,
    );
  }
  const { Plaintext } = await kms
    .call('Decrypt', {
      KeyId: key,
      CiphertextBlob: Buffer.from(file.ciphertext, 'hex').toString('base64'),
      EncryptionContext: contextOf(addresses, file.context.seal),
      EncryptionAlgorithm: ALGORITHM,
    })
    .catch((error: Error) => {
      throw error instanceof KmsError ? faultOf(error, file, { path, key }) : error;
    });
  const seed = bytesOf(Plaintext);
  if (seed?.length === SEED_BYTES && roleKeypair(seed, 'seal').address === file.context.seal)
    return new Uint8Array(seed);
  throw new KmsError(`what AWS KMS gives for ${path} is another seed: it is not used`);
}

function faultOf(error: KmsError, { key: was }: KmsSeedFile, { path, key }: { path: string; key: string }): Error {
  if (error.code === 'IncorrectKeyException') {
    return new PrivateFileError(`${path} is encrypted with ${was}, and not with ${key}: set kms.keys.seed to that key`);
  }
  if (error.code === 'InvalidCiphertextException') {
    return new PrivateFileError(`the key ${key} does not open ${path}: it was changed, so restore it from a backup`);
  }
  return error;
}

function contextOf({ gas, keeper, tracker }: FirstAddresses, seal: string): SeedContext {
  return { purpose: PURPOSE, gas, keeper, tracker, seal };
}

/** Comparing with a fresh rendering covers the checksum, unknown fields and any other way to write the same values. */
function isWhole(file: KmsSeedFile, text: string): boolean {
  const { key, context, ciphertext } = file;
  const hasContext =
    typeof context === 'object' && context !== null && CONTEXT_NAMES.every((name) => typeof context[name] === 'string');
  if (!hasContext || typeof key !== 'string' || typeof ciphertext !== 'string') return false;
  if (!/^(?:[0-9a-f]{2})+$/.test(ciphertext) || ciphertext.length > 2 * MOST_CIPHERTEXT_BYTES) return false;
  return context.purpose === PURPOSE && render(file) === text;
}

function render({ version, key, context, ciphertext }: KmsSeedFile): string {
  const body = { version, key, context: contextOf(context, context.seal), ciphertext };
  const checksum = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `${JSON.stringify({ ...body, checksum }, undefined, 2)}\n`;
}

/** Bytes in base64. */
export function bytesOf(value: unknown): Buffer | undefined {
  const found = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  return found !== undefined && found.length > 0 && found.toString('base64') === value ? found : undefined;
}
