import { type Address, addressFromBytes, decodeMessage, decompileInstructions, parseAdvanceNonce } from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain } from '../chain/index.js';

/** How long a transaction may still land. */
export type Lifetime =
  | { kind: 'height'; lastValidBlockHeight: bigint }
  /** `aliveAt`: a slot at which a node knew the blockhash; 0 when nobody has asked. */
  | { kind: 'blockhash'; blockhash: string; aliveAt: bigint }
  | { kind: 'nonce'; account: Address; value: string };

/** Bytes 40 to 72 of a nonce account hold the nonce: after version, state and authority. */
const NONCE_OFFSET = 40;

/** The lifetime that the message itself tells, for a transaction that somebody else crafted. */
export function lifetimeOf(message: Uint8Array, aliveAt = 0n): Lifetime {
  const decoded = decodeMessage(message);
  const first = decoded.instructions[0];
  // Only static accounts are looked at: advancing a nonce needs none from a lookup table.
  if (first?.accountIndexes.every((index) => index < decoded.accounts.length)) {
    const [instruction] = decompileInstructions({ ...decoded, instructions: [first], lookups: [] });
    const nonce = parseAdvanceNonce(instruction!);
    if (nonce) return { kind: 'nonce', account: nonce.nonce, value: decoded.blockhash };
  }
  return { kind: 'blockhash', blockhash: decoded.blockhash, aliveAt };
}

/**
 * The slot at which a node said that the chain can no longer take the transaction; undefined while it can. A node that
 * has come at least that far, and does not know the transaction, will never know it.
 */
export async function deadAt(lifetime: Lifetime, chain: Chain): Promise<bigint | undefined> {
  switch (lifetime.kind) {
    case 'height': {
      const { lastValidBlockHeight, slot } = await chain.latestBlockhash();
      return lastValidBlockHeight - BLOCKHASH_LIFE > lifetime.lastValidBlockHeight ? slot : undefined;
    }
    case 'blockhash': {
      const { valid, slot } = await chain.isBlockhashValid(lifetime.blockhash);
      // A node that has not come so far yet may not have heard of the blockhash.
      return valid || slot < lifetime.aliveAt ? undefined : slot;
    }
    case 'nonce': {
      const { slot } = await chain.latestBlockhash();
      return (await nonceValue(lifetime.account, chain)) === lifetime.value ? undefined : slot;
    }
  }
}

async function nonceValue(account: Address, chain: Chain): Promise<string | undefined> {
  const data = (await chain.account(account))?.data;
  return data && data.length >= NONCE_OFFSET + 32 ? addressFromBytes(data, NONCE_OFFSET) : undefined;
}
