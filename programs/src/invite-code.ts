import { createHash, randomBytes } from 'node:crypto';
import { base58Encode, type Keypair, keypairFromSeed } from '@slipway/wire';

// The public rule that makes the key of an invite from a code that people can pass on. Whoever has the code has the key.

const CODE_LENGTH = 12;
const RANDOM_BYTES = 13;
const CODE = /^[1-9A-HJ-NP-Za-km-z]{12}$/;

/** A fresh code of 12 base58 characters, from the operating system's randomness: some 69 bits of it. */
export function newInviteCode(): string {
  return base58Encode(randomBytes(RANDOM_BYTES)).slice(0, CODE_LENGTH);
}

/**
 * The key pair of an invite: its seed is the SHA-256 hash of `invite:` and the code. Throws a RangeError, without the
 * code in it, for what is not 12 base58 characters.
 */
export function inviteKeypair(code: string): Keypair {
  if (!CODE.test(code))
    throw new RangeError('the invite code is not 12 base58 characters; ask the sender for it again');
  return keypairFromSeed(createHash('sha256').update(`invite:${code}`).digest());
}
