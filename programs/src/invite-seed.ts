import { sha256 } from '@slipway/wire/formats';

// The public rule that makes the key of an invite from a code that people can pass on. Whoever has the code has the key.

const CODE = /^[1-9A-HJ-NP-Za-km-z]{12}$/;

/**
 * The 32-byte seed of an invite's key: the SHA-256 hash of `invite:` and the code. Throws a RangeError, without the code
 * in it, for what is not 12 base58 characters.
 */
export function inviteSeed(code: string): Uint8Array {
  if (!CODE.test(code))
    throw new RangeError('the invite code is not 12 base58 characters; ask the sender for it again');
  return sha256(new TextEncoder().encode(`invite:${code}`));
}
