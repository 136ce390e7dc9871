import { createHmac } from 'node:crypto';

const HARDENED = 0x80000000;

/** A node of the key tree: its private key (an ed25519 seed of 32 bytes), and the chain code for its children. */
export interface KeyNode {
  key: Uint8Array;
  chainCode: Uint8Array;
}

/**
 * Derives a private key (an ed25519 seed of 32 bytes) by SLIP-0010. Ed25519 has hardened derivation only, so every
 * index of `path` is taken as hardened: `[44, 501, 0]` is m/44'/501'/0'.
 *
 * @throws RangeError when the seed is not 16 to 64 bytes long or an index is not below 2^31.
 * @see https://github.com/satoshilabs/slips/blob/master/slip-0010.md
 */
export function deriveEd25519Seed(seed: Uint8Array, path: readonly number[]): Uint8Array {
  const root = rootNode(seed);
  const { key, chainCode } = deriveNode(root, path);
  chainCode.fill(0);
  wipe(root);
  return key;
}

/** The root of the tree. @throws RangeError when the seed is not 16 to 64 bytes long. */
export function rootNode(seed: Uint8Array): KeyNode {
  if (seed.length < 16 || seed.length > 64) throw new RangeError('a SLIP-0010 seed has 16 to 64 bytes');
  return split(createHmac('sha512', 'ed25519 seed').update(seed).digest());
}

/** A node below another one, which stays as it is. @throws RangeError for an index that is not below 2^31. */
export function deriveNode(from: KeyNode, path: readonly number[]): KeyNode {
  let node: KeyNode = { key: from.key.slice(), chainCode: from.chainCode.slice() };
  for (const index of path) {
    if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
      throw new RangeError('a derivation index is an integer from 0 to 2^31 - 1');
    }
    const data = Buffer.alloc(37);
    data.set(node.key, 1);
    data.writeUInt32BE(index + HARDENED, 33);
    const child = split(createHmac('sha512', node.chainCode).update(data).digest());
    data.fill(0);
    wipe(node);
    node = child;
  }
  return node;
}

/** Overwrites the secrets of a node that is no longer needed. */
export function wipe(node: KeyNode): void {
  node.key.fill(0);
  node.chainCode.fill(0);
}

function split(digest: Buffer): KeyNode {
  const node = { key: new Uint8Array(digest.subarray(0, 32)), chainCode: new Uint8Array(digest.subarray(32)) };
  digest.fill(0);
  return node;
}
