import { createHash, randomBytes } from 'node:crypto';
import { PrivateFileError } from '../private-file.js';
import type { Token } from './token.js';
import { TokenError } from './token-error.js';

/** The label of the key that a seed is encrypted with at first. */
export const SEED_KEY = 'slipway-seed';

/** The version of a signer file that a token opens. */
export const TOKEN_FILE = 2;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const SEALED_BYTES = 32 + 16;

interface TokenSeedFile {
  version: typeof TOKEN_FILE;
  /** The label of a key in a token. */
  key: string;
  cipher: typeof CIPHER;
  nonce: string;
  /** The encrypted seed, then the authentication tag. */
  ciphertext: string;
}

/** Encrypts a seed with a key that is in the token; the text is the whole content of a signer file. */
export async function sealSeedInToken(seed: Uint8Array, token: Token, key = SEED_KEY): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const file: TokenSeedFile = {
    version: TOKEN_FILE,
    key,
    cipher: CIPHER,
    nonce: nonce.toString('hex'),
    ciphertext: '',
  };
  const sealed = await token.encrypt(file.key, nonce, associatedData(file), seed);
  return render({ ...file, ciphertext: Buffer.from(sealed).toString('hex') });
}

/** The label of the key that the content of a whole signer file is encrypted with. */
export const seedKeyOf = (text: string): string => (JSON.parse(text) as TokenSeedFile).key;

/** The label of the key that comes after another one: `slipway-seed-2` after `slipway-seed`. */
export function keyAfter(key: string): string {
  const [, number = '1'] = /-(\d+)$/.exec(key) ?? [];
  return `${SEED_KEY}-${Number(number) + 1}`;
}

/**
 * Decrypts the content of a signer file with the token.
 *
 * @param path only for the error texts.
 * @throws PrivateFileError when it is damaged or of another key; TokenError when the token cannot be used.
 */
export async function openSeedInToken(text: string, token: Token, path: string): Promise<Uint8Array> {
  const file = JSON.parse(text) as TokenSeedFile;
  const isWhole =
    file.cipher === CIPHER &&
    typeof file.key === 'string' &&
    isHex(file.nonce, NONCE_BYTES) &&
    isHex(file.ciphertext, SEALED_BYTES) &&
    render(file) === text;
  if (!isWhole) throw new PrivateFileError(`${path} is damaged: restore it from a backup`);
  if (!(await token.has(file.key))) throw new TokenError(`${token.name} has no key ${file.key}, which ${path} needs`);
  const [nonce, sealed] = [Buffer.from(file.nonce, 'hex'), Buffer.from(file.ciphertext, 'hex')];
  return token.decrypt(file.key, nonce, associatedData(file), sealed).catch((error: Error) => {
    throw new PrivateFileError(`the key ${file.key} does not open ${path} (${error.message})`, { cause: error });
  });
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);
}

function associatedData({ version, key, cipher, nonce }: TokenSeedFile): Buffer {
  return Buffer.from(JSON.stringify([version, key, cipher, nonce]));
}

function render({ version, key, cipher, nonce, ciphertext }: TokenSeedFile): string {
  const body = { version, key, cipher, nonce, ciphertext };
  const checksum = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `${JSON.stringify({ ...body, checksum }, undefined, 2)}\n`;
}
