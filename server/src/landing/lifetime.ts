import { type Address, addressFromBytes, decodeMessage, decodeTransaction, nonceAccountOf } from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain, RpcError } from '../chain/index.js';
import { createClock } from '../lib/clock.js';

/** How long a transaction may still land. */
export type Lifetime =
  | { kind: 'height'; lastValidBlockHeight: bigint; blockhash: string }
  /** `aliveAt`: a slot at which a node knew the blockhash, or had the nonce in its account; 0 if unknown. */
  | { kind: 'blockhash'; blockhash: string; aliveAt: bigint }
  | { kind: 'nonce'; account: Address; value: string; aliveAt: bigint };

/** Bytes 40 to 72 of a nonce account hold the nonce: after version, state and authority. */
const NONCE_OFFSET = 40;
/** More than an hour: a node told a slot or a height that never comes, or the one that is asked now is that far behind. */
const ABSURD = 10_000n;
/** How old the newest slot of a node may be that is at the end of the chain: the chain's clock is no better. */
const MOST_BEHIND_MS = 10 * 60_000;
const wall = createClock();

/** The lifetime of a transaction that we have crafted, by the height that the node has told with its blockhash. */
export function lifetimeByHeight(wire: Uint8Array, lastValidBlockHeight: bigint): Lifetime {
  const { blockhash } = decodeTransaction(wire).decoded;
  return { kind: 'height', lastValidBlockHeight, blockhash };
}

/** The lifetime according to the message itself, for a transaction that we did not craft. */
export function lifetimeOf(message: Uint8Array, aliveAt = 0n): Lifetime {
  const decoded = decodeMessage(message);
  const nonce = nonceAccountOf(decoded);
  if (nonce) return { kind: 'nonce', account: nonce, value: decoded.blockhash, aliveAt };
  return { kind: 'blockhash', blockhash: decoded.blockhash, aliveAt };
}

/**
 * The slot at which a node reported that the transaction can no longer land; undefined while it can. A node that has
 * reached this slot and does not know the transaction will never know it. No single answer says so: what is told
 * as expired is made anew, though it may be about to land.
 */
export async function deadAt(lifetime: Lifetime, chain: Chain): Promise<bigint | undefined> {
  switch (lifetime.kind) {
    case 'height': {
      const { lastValidBlockHeight: newest, slot } = await chain.latestBlockhash();
      if (newest - BLOCKHASH_LIFE > lifetime.lastValidBlockHeight) {
        const dead = await deadBlockhash(lifetime.blockhash, chain);
        // A node that is behind does not know it yet.
        return dead !== undefined && dead >= slot ? dead : undefined;
      }
      if (lifetime.lastValidBlockHeight <= newest + ABSURD) return undefined;
      const dead = await deadBlockhash(lifetime.blockhash, chain);
      return dead !== undefined && (await isCurrent(dead, chain)) ? dead : undefined;
    }
    case 'blockhash':
      return saidTwice(async () => sinceAlive(await deadBlockhash(lifetime.blockhash, chain), lifetime.aliveAt, chain));
    case 'nonce':
      return saidTwice(async () => sinceAlive(await deadNonce(lifetime, chain), lifetime.aliveAt, chain));
  }
}

/** The later of the slots of two answers; undefined unless both have one. */
async function saidTwice(ask: () => Promise<bigint | undefined>): Promise<bigint | undefined> {
  const first = await ask();
  const second = first === undefined ? undefined : await ask();
  return first !== undefined && second !== undefined && first > second ? first : second;
}

/** A node that has not reached the slot at which it was alive may not know its blockhash or nonce yet. */
async function sinceAlive(dead: bigint | undefined, aliveAt: bigint, chain: Chain): Promise<bigint | undefined> {
  return dead !== undefined && (await isSince(dead, aliveAt, chain)) ? dead : undefined;
}

/** Whether what was told at this slot is told from `least` on; or `least` is a slot that never comes, and this one is of now. */
export async function isSince(slot: bigint, least: bigint, chain: Pick<Chain, 'rpc'>): Promise<boolean> {
  return slot >= least || (least > slot + ABSURD && (await isCurrent(slot, chain)));
}

async function deadBlockhash(blockhash: string, chain: Chain): Promise<bigint | undefined> {
  const { valid, slot } = await chain.isBlockhashValid(blockhash);
  return valid ? undefined : slot;
}

/** Whether a node whose newest slot this is knows the blockhashes of now: one that catches up does not. */
async function isCurrent(slot: bigint, chain: Pick<Chain, 'rpc'>): Promise<boolean> {
  try {
    const seconds = Number(await chain.rpc.call<unknown>('getBlockTime', [Number(slot)]));
    return seconds * 1_000 > wall.now() - MOST_BEHIND_MS;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/** By the slot of the very answer: another node of the same address, which is behind, may not have what has used the nonce. */
async function deadNonce(nonce: { account: Address; value: string }, chain: Chain): Promise<bigint | undefined> {
  const { account, slot } = await chain.accountReading(nonce.account);
  return account && nonceIn(account.data) === nonce.value ? undefined : slot;
}

/** The nonce in the data of a nonce account; undefined if it is too short for one. */
export function nonceIn(data: Uint8Array): string | undefined {
  return data.length >= NONCE_OFFSET + 32 ? addressFromBytes(data, NONCE_OFFSET) : undefined;
}
