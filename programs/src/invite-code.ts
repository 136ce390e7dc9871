import { randomBytes } from 'node:crypto';
import { base58Encode, type Keypair, keypairFromSeed } from '@slipway/wire';
import { inviteSeed } from './invite-seed.js';

const CODE_LENGTH = 12;
const RANDOM_BYTES = 13;

/** A fresh code of 12 base58 characters, from the operating system's randomness: some 69 bits of it. */
export function newInviteCode(): string {
  return base58Encode(randomBytes(RANDOM_BYTES)).slice(0, CODE_LENGTH);
}

/** The key pair of an invite. Throws a RangeError, without the code in it, for what is not 12 base58 characters. */
export function inviteKeypair(code: string): Keypair {
  return keypairFromSeed(inviteSeed(code));
}
