import {
  createPrivateKey,
  createPublicKey,
  sign as cryptoSign,
  verify as cryptoVerify,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Address, addressFromBytes, addressToBytes, isAddress } from './address.js';

/** An ed25519 key. `secretKey` is the 64 bytes that Solana tools write: the seed, then the public key. */
export interface Keypair {
  address: Address;
  secretKey: Uint8Array;
}

const SEED_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
/** What PKCS#8 writes before the seed of an ed25519 key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
// A JWK must have a public half, which Node 20 does not read beside a private one; were it read, no key would be made.
const UNREAD_X = Buffer.alloc(SEED_LENGTH).toString('base64url');

// Little-endian y, without the sign bit, of the eight points of small order and their non-canonical forms. Validators
// refuse them as keys and as R (dalek's verify_strict); OpenSSL does not, and lets anybody sign for such a key.
const SMALL_ORDER_Y = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

// Importing a key costs about as much as a tenth of a verification. Private keys live no longer than their Keypair.
const publicKeys = new LRUCache<Address, KeyObject>({ max: 1000 });
const privateKeys = new WeakMap<Keypair, KeyObject>();

/** The key pair of a 32-byte seed. Throws RangeError for another length. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  if (seed.length !== SEED_LENGTH) throw new RangeError(`a seed has 32 bytes, not ${seed.length}`);
  const privateKey = importSeed(seed);
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined || x === UNREAD_X) throw new Error('this version of Node cannot make keys: use another one');
  const secretKey = new Uint8Array(2 * SEED_LENGTH);
  secretKey.set(seed);
  secretKey.set(Buffer.from(x, 'base64url'), SEED_LENGTH);
  const keypair = { address: addressFromBytes(secretKey, SEED_LENGTH), secretKey };
  privateKeys.set(keypair, privateKey);
  return keypair;
}

/** A fresh key pair from the operating system's randomness. */
export function generateKeypair(): Keypair {
  return keypairFromSeed(randomBytes(SEED_LENGTH));
}

/** The key pair of 64 secret bytes. Throws RangeError for another length or when the halves do not belong together. */
export function keypairFromSecret(secretKey: Uint8Array): Keypair {
  if (secretKey.length !== 2 * SEED_LENGTH) throw new RangeError(`a secret key has 64 bytes, not ${secretKey.length}`);
  const keypair = keypairFromSeed(secretKey.subarray(0, SEED_LENGTH));
  if (addressFromBytes(secretKey, SEED_LENGTH) !== keypair.address) {
    throw new RangeError('the halves of the secret key do not belong together');
  }
  return keypair;
}

/** The 64-byte signature of the message. */
export function sign(keypair: Keypair, message: Uint8Array): Uint8Array {
  let privateKey = privateKeys.get(keypair);
  if (privateKey === undefined) {
    privateKey = importSeed(keypair.secretKey.subarray(0, SEED_LENGTH));
    privateKeys.set(keypair, privateKey);
  }
  return new Uint8Array(cryptoSign(null, message, privateKey));
}

/** Whether the signature is one that validators accept. A malformed key or signature is just false. */
export function verify(publicKey: Address, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH || isSmallOrder(signature)) return false;
  const key = publicKeys.get(publicKey) ?? importPublicKey(publicKey);
  return key !== undefined && cryptoVerify(null, message, key, signature);
}

/** What `verify` says, worked out beside this thread: for many, which nobody is in a hurry for. */
export async function verifyBeside(publicKey: Address, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== SIGNATURE_LENGTH || isSmallOrder(signature)) return false;
  const key = publicKeys.get(publicKey) ?? importPublicKey(publicKey);
  if (key === undefined) return false;
  return new Promise((resolve, reject) => {
    cryptoVerify(null, message, key, signature, (error, is) => (error ? reject(error) : resolve(is)));
  });
}

/** The public half is worked out from the seed. */
function importSeed(seed: Uint8Array): KeyObject {
  // The OpenSSL of Node 20 takes eight times as long for DER as for a JWK. Later ones do not, and read both halves of it.
  if (!process.versions.node.startsWith('20.')) {
    return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  }
  const d = Buffer.from(seed).toString('base64url');
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: UNREAD_X }, format: 'jwk' });
}

function importPublicKey(publicKey: Address): KeyObject | undefined {
  if (!isAddress(publicKey)) return undefined;
  const bytes = addressToBytes(publicKey);
  if (isSmallOrder(bytes)) return undefined;
  const x = Buffer.from(bytes).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  publicKeys.set(publicKey, key);
  return key;
}

/** Whether the first 32 bytes are a point of small order. */
function isSmallOrder(bytes: Uint8Array): boolean {
  const y = Buffer.from(bytes.subarray(0, 32));
  y[31]! &= 0x7f;
  return SMALL_ORDER_Y.has(y.toString('hex'));
}
