import { createHmac } from 'node:crypto';

const HARDENED = 0x80000000;

/**
 * Derives a private key (an ed25519 seed of 32 bytes) by SLIP-0010. Ed25519 has hardened derivation only, so every
 * index of `path` is taken as hardened: `[44, 501, 0]` is m/44'/501'/0'.
 *
 * @throws RangeError when the seed is not 16 to 64 bytes long or an index is not below 2^31.
 * @see https://github.com/satoshilabs/slips/blob/master/slip-0010.md
 */
export function deriveEd25519Seed(seed: Uint8Array, path: readonly number[]): Uint8Array {
  if (seed.length < 16 || seed.length > 64) throw new RangeError('a SLIP-0010 seed has 16 to 64 bytes');
  let node = createHmac('sha512', 'ed25519 seed').update(seed).digest();
  for (const index of path) {
    if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
      throw new RangeError('a derivation index is an integer from 0 to 2^31 - 1');
    }
    const data = Buffer.alloc(37);
    node.copy(data, 1, 0, 32);
    data.writeUInt32BE(index + HARDENED, 33);
    const child = createHmac('sha512', node.subarray(32)).update(data).digest();
    node.fill(0);
    data.fill(0);
    node = child;
  }
  const key = new Uint8Array(node.subarray(0, 32));
  node.fill(0);
  return key;
}
