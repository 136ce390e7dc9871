import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { PrivateFileError } from './private-file.js';

const SEED_BYTES = 32;
const TAG_BYTES = 16;

/** For a passphrase that somebody has chosen: OWASP's parameters for 32 MiB of memory; about 0.2 s. */
const SCRYPT = { n: 2 ** 15, r: 8, p: 3 } as const;
/** For one of 256 random bits, which no number of tries finds. */
const SCRYPT_OF_RANDOM = { n: 2 ** 10, r: 8, p: 1 } as const;

/** A file that asks for more than this is damaged, or an attempt to exhaust our memory. */
const SCRYPT_MAX_BYTES = 256 * 1024 * 1024;

/** The file is whole, and has another passphrase. */
export class WrongPassphrase extends PrivateFileError {}

/** The parts of a signer file; the binary ones are lower-case hex. */
interface SeedFile {
  version: 1;
  kdf: { name: 'scrypt'; n: number; r: number; p: number; salt: string };
  cipher: 'aes-256-gcm';
  nonce: string;
  /** The encrypted seed, then the authentication tag. */
  ciphertext: string;
  /** SHA-256 of everything above: tells a damaged file from a wrong passphrase. */
  checksum: string;
}

type Header = Pick<SeedFile, 'version' | 'kdf' | 'cipher' | 'nonce'>;

/**
 * Encrypts a seed of 32 bytes; the text is the whole content of a signer file.
 *
 * @param isRandom whether the passphrase is 256 random bits, and not a text that somebody has chosen.
 */
export async function sealSeed(seed: Uint8Array, passphrase: string, isRandom = false): Promise<string> {
  if (seed.length !== SEED_BYTES) throw new RangeError('a signer seed has 32 bytes');
  const header: Header = {
    version: 1,
    kdf: { name: 'scrypt', ...(isRandom ? SCRYPT_OF_RANDOM : SCRYPT), salt: randomBytes(16).toString('hex') },
    cipher: 'aes-256-gcm',
    nonce: randomBytes(12).toString('hex'),
  };
  const key = await deriveKey(passphrase, header.kdf);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(header.nonce, 'hex'));
  cipher.setAAD(associatedData(header));
  const ciphertext = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()]).toString('hex');
  key.fill(0);
  return render({ ...header, ciphertext });
}

/**
 * Decrypts the content of a signer file.
 *
 * @param path only for the error texts.
 * @throws WrongPassphrase, or PrivateFileError that says whether the file is damaged or of another version.
 */
export async function openSeed(text: string, passphrase: string, path: string): Promise<Uint8Array> {
  const file = parse(text, path);
  const key = await deriveKey(passphrase, file.kdf);
  const sealed = Buffer.from(file.ciphertext, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(file.nonce, 'hex'));
  decipher.setAAD(associatedData(file));
  decipher.setAuthTag(sealed.subarray(SEED_BYTES));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(0, SEED_BYTES)), decipher.final()]));
  } catch (error) {
    throw new WrongPassphrase(`the passphrase does not open ${path}: check SLIPWAY_SIGNER_PASSPHRASE`, {
      cause: error,
    });
  } finally {
    key.fill(0);
  }
}

function parse(text: string, path: string): SeedFile {
  const damaged = new PrivateFileError(`${path} is damaged: restore it from a backup`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (typeof value !== 'object' || value === null) throw damaged;
  const file = value as Partial<SeedFile>;
  const { version, kdf, cipher, nonce, ciphertext } = file;
  if (typeof version === 'number' && version !== 1) {
    throw new PrivateFileError(`${path} has version ${version}, but this release knows version 1 only`);
  }
  if (version !== 1 || cipher !== 'aes-256-gcm' || !isHex(nonce, 12)) throw damaged;
  if (!isHex(ciphertext, SEED_BYTES + TAG_BYTES) || !isScrypt(kdf)) throw damaged;
  // Comparing with a fresh rendering covers the checksum, unknown fields and any other way to write the same values.
  const known: SeedFile = { version, kdf, cipher, nonce, ciphertext, checksum: file.checksum ?? '' };
  if (render(known) !== text) throw damaged;
  return known;
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);
}

function isScrypt(kdf: unknown): kdf is SeedFile['kdf'] {
  if (typeof kdf !== 'object' || kdf === null) return false;
  const { name, n, r, p, salt } = kdf as Partial<SeedFile['kdf']>;
  if (name !== 'scrypt' || !isHex(salt, 16)) return false;
  if (!isCount(n) || !isCount(r) || !isCount(p)) return false;
  return n > 1 && Number.isInteger(Math.log2(n)) && p <= 16 && 128 * n * r <= SCRYPT_MAX_BYTES;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function deriveKey(passphrase: string, { n, r, p, salt }: SeedFile['kdf']): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 2 * SCRYPT_MAX_BYTES };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** Without the authentication of these fields somebody could weaken the key derivation of the next file. */
function associatedData({ version, kdf, cipher, nonce }: Header): Buffer {
  return Buffer.from([version, kdf.name, kdf.n, kdf.r, kdf.p, kdf.salt, cipher, nonce].join('|'));
}

function render({ version, kdf, cipher, nonce, ciphertext }: Omit<SeedFile, 'checksum'>): string {
  const { name, n, r, p, salt } = kdf;
  const body = { version, kdf: { name, n, r, p, salt }, cipher, nonce, ciphertext };
  const checksum = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `${JSON.stringify({ ...body, checksum }, undefined, 2)}\n`;
}
