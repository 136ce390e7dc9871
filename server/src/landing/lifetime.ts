import {
  type Address,
  addressFromBytes,
  decodeMessage,
  decodeTransaction,
  decompileInstructions,
  parseAdvanceNonce,
} from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain } from '../chain/index.js';

/** How long a transaction may still land. */
export type Lifetime =
  | { kind: 'height'; lastValidBlockHeight: bigint; blockhash: string }
  /** `aliveAt`: a slot at which a node knew the blockhash; 0 if unknown. */
  | { kind: 'blockhash'; blockhash: string; aliveAt: bigint }
  | { kind: 'nonce'; account: Address; value: string };

/** Bytes 40 to 72 of a nonce account hold the nonce: after version, state and authority. */
const NONCE_OFFSET = 40;
/** No two nodes are so many slots or blocks apart: more than an hour. Once told one further ahead, nothing would ever end. */
const ABSURD = 10_000n;

/** The lifetime of a transaction that we have crafted, by the height that the node has told with its blockhash. */
export function lifetimeByHeight(wire: Uint8Array, lastValidBlockHeight: bigint): Lifetime {
  const { blockhash } = decodeTransaction(wire).decoded;
  return { kind: 'height', lastValidBlockHeight, blockhash };
}

/** The lifetime according to the message itself, for a transaction that we did not craft. */
export function lifetimeOf(message: Uint8Array, aliveAt = 0n): Lifetime {
  const decoded = decodeMessage(message);
  const first = decoded.instructions[0];
  // Only static accounts matter: advancing a nonce needs none from a lookup table.
  if (first?.accountIndexes.every((index) => index < decoded.accounts.length)) {
    const [instruction] = decompileInstructions({ ...decoded, instructions: [first], lookups: [] });
    const nonce = parseAdvanceNonce(instruction!);
    if (nonce) return { kind: 'nonce', account: nonce.nonce, value: decoded.blockhash };
  }
  return { kind: 'blockhash', blockhash: decoded.blockhash, aliveAt };
}

/**
 * The slot at which a node reported that the transaction can no longer land; undefined while it can. A node that has
 * reached this slot and does not know the transaction will never know it.
 */
export async function deadAt(lifetime: Lifetime, chain: Chain): Promise<bigint | undefined> {
  switch (lifetime.kind) {
    case 'height': {
      const { lastValidBlockHeight: newest, slot } = await chain.latestBlockhash();
      if (newest - BLOCKHASH_LIFE > lifetime.lastValidBlockHeight) return slot;
      const isAbsurd = lifetime.lastValidBlockHeight > newest + ABSURD;
      return isAbsurd ? deadBlockhash(lifetime.blockhash, 0n, chain) : undefined;
    }
    case 'blockhash':
      return deadBlockhash(lifetime.blockhash, lifetime.aliveAt, chain);
    case 'nonce': {
      const { slot } = await chain.latestBlockhash();
      return (await nonceValue(lifetime.account, chain)) === lifetime.value ? undefined : slot;
    }
  }
}

async function deadBlockhash(blockhash: string, aliveAt: bigint, chain: Chain): Promise<bigint | undefined> {
  const { valid, slot } = await chain.isBlockhashValid(blockhash);
  // A node that has not reached that slot yet may not know the blockhash.
  return valid || (slot < aliveAt && aliveAt <= slot + ABSURD) ? undefined : slot;
}

async function nonceValue(account: Address, chain: Chain): Promise<string | undefined> {
  const data = (await chain.account(account))?.data;
  return data && nonceIn(data);
}

/** The nonce in the data of a nonce account; undefined if it is too short for one. */
export function nonceIn(data: Uint8Array): string | undefined {
  return data.length >= NONCE_OFFSET + 32 ? addressFromBytes(data, NONCE_OFFSET) : undefined;
}
