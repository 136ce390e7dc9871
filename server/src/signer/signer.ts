import { randomBytes } from 'node:crypto';
import { type Address, type Keypair, keypairFromSeed, sign } from '@slipway/wire';
import { createPrivateFile, PrivateFileError, readPrivateFile } from './private-file.js';
import { openSeed, sealSeed } from './seed-file.js';
import { deriveEd25519Seed } from './slip10.js';

/**
 * The keys of the service, each derived at m/44'/501'/<number>' from one seed. A number is never given to another role:
 * its address holds money.
 */
const roleNumbers = {
  /** Pays fees and rent for transactions that are gasless for the user. */
  gas: 0,
  /** The sandbox's market maker. */
  maker: 1,
  /** Trades for the service: in a sandbox it moves the pools to the prices that are set. */
  keeper: 2,
} as const;

/** What a key of the service is for. */
export type Role = keyof typeof roleNumbers;

/** Signs with the keys of the service. The keys cannot be reached through it. */
export interface Signer {
  /** The public key of a role. */
  address(role: Role): Address;
  /** The ed25519 signature (64 bytes) of a role over the bytes of a transaction message. */
  sign(role: Role, message: Uint8Array): Promise<Uint8Array>;
}

export interface SignerOptions {
  /** Path of the encrypted seed. */
  file: string;
  passphrase?: string | undefined;
  /** Whether a new seed is made where the file does not exist. */
  create: boolean;
}

/**
 * Opens the encrypted seed file, or makes it, and derives the key of every role.
 *
 * @throws PrivateFileError when the file is missing (and `create` is false), damaged or open to other users, or when the
 * passphrase is missing or wrong.
 */
export async function openSigner(options: SignerOptions): Promise<Signer> {
  const seed = await loadSeed(options);
  const keypairs = new Map<Role, Keypair>();
  for (const [role, number] of Object.entries(roleNumbers) as [Role, number][]) {
    const key = deriveEd25519Seed(seed, [44, 501, number]);
    keypairs.set(role, keypairFromSeed(key));
    key.fill(0);
  }
  seed.fill(0);
  // The keys live in this closure only: there is no property to print or to serialize.
  const keypair = (role: Role): Keypair => {
    const found = keypairs.get(role);
    if (found === undefined) throw new RangeError(`the signer has no role ${role}`);
    return found;
  };
  return {
    address: (role) => keypair(role).address,
    sign: async (role, message) => sign(keypair(role), message),
  };
}

async function loadSeed({ file, passphrase, create }: SignerOptions): Promise<Uint8Array> {
  const content = await readPrivateFile(file);
  if (content === undefined && !create) {
    throw new PrivateFileError(`there is no signer file at ${file}: restore it from a backup`);
  }
  if (passphrase === undefined || passphrase === '') {
    throw new PrivateFileError(`${file} needs a passphrase: set SLIPWAY_SIGNER_PASSPHRASE`);
  }
  if (content !== undefined) return openSeed(content.toString('utf8'), passphrase, file);
  const seed = new Uint8Array(randomBytes(32));
  const created = await createPrivateFile(file, await sealSeed(seed, passphrase));
  // Another process was faster: its seed is the one that stands in the file.
  return created ? seed : loadSeed({ file, passphrase, create: false });
}
