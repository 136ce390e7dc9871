import { type Address, addressFromBytes, decodeMessage, decodeTransaction, nonceAccountOf } from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain, NODES_APART, RpcError } from '../chain/index.js';
import { createClock, steadyNow } from '../lib/clock.js';

/** How long a transaction may still land. */
export type Lifetime =
  | { kind: 'height'; lastValidBlockHeight: bigint; blockhash: string }
  /** `aliveAt`: a slot at which a node knew the blockhash, or had the nonce in its account; 0 if unknown. */
  | { kind: 'blockhash'; blockhash: string; aliveAt: bigint }
  | { kind: 'nonce'; account: Address; value: string; aliveAt: bigint };

/** Bytes 40 to 72 of a nonce account hold the nonce: after version, state and authority. */
const NONCE_OFFSET = 40;
/** Five minutes: a node told a slot or a height that does not come before, or the one that is asked now is that far behind. */
const ABSURD = 750n;
/** In so many tries it is said to be dead. */
const DEAD_TRIES = 3;
/** How old the newest slot of a node may be that is at the end of the chain; one that is as far behind as is absurd stays older, by any clock. */
const MOST_BEHIND_MS = 2 * 60_000;
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
 * What nodes have said so far of how one transaction dies. Of several behind one address, each is some slots behind another: what
 * one says counts in later tries, or each would begin with a newer slot than the next node has reached.
 */
export interface Deaths {
  /** Since when it is followed; steady time. */
  since: number;
  /** The smallest slot at which the chain was said to be past its height. */
  past: bigint | undefined;
  /** The smallest slots at which its blockhash or nonce was said to be gone, one of a try: as many as it takes, in order. */
  gone: bigint[];
}

export function newDeaths(): Deaths {
  return { since: steadyNow(), past: undefined, gone: [] };
}

/** Whether it has been said to be dead, but not often enough yet. */
export function mayBeDead({ gone }: Deaths): boolean {
  return gone.length > 0 && gone.length < DEAD_TRIES;
}

/**
 * A slot at which the transaction could no longer land, by two answers of nodes in each of three tries, `said` being what they said in
 * earlier ones; undefined while it can. A node that has reached this slot and does not know the transaction will never know it. Of
 * several nodes behind an address one may be wrong, also twice in a row: what is told as expired is made anew, though it may be about
 * to land. So callers let time pass between tries, in which others contradict.
 */
export async function deadAt(lifetime: Lifetime, chain: Chain, said: Deaths): Promise<bigint | undefined> {
  const gone = await goneAt(lifetime, chain, said);
  if (gone !== undefined)
    said.gone = [...said.gone, gone].sort((one, other) => (one < other ? -1 : 1)).slice(0, DEAD_TRIES);
  return said.gone[DEAD_TRIES - 1];
}

/** The slot at which it is dead by the two answers of this try. */
async function goneAt(lifetime: Lifetime, chain: Chain, said: Deaths): Promise<bigint | undefined> {
  switch (lifetime.kind) {
    case 'height': {
      const { lastValidBlockHeight: last, blockhash } = lifetime;
      const read = () => readBlockhash(blockhash, chain);
      const { lastValidBlockHeight: newest, slot } = await chain.latestBlockhash();
      if (isAbsurd(last, newest)) {
        // By one node that is far behind, every height is absurd: what it says tells nothing.
        return (await isCurrent(slot, chain)) ? goneTwice(said, read, (at) => knowsIt(said, at, chain)) : undefined;
      }
      if (newest - BLOCKHASH_LIFE > last) said.past = said.past !== undefined && said.past < slot ? said.past : slot;
      else contradict(said, slot);
      // A node that is behind may not know the blockhash yet.
      const least = said.past;
      return least === undefined ? undefined : goneOnce(said, read, (at) => at >= least);
    }
    case 'blockhash': {
      const read = () => readBlockhash(lifetime.blockhash, chain);
      return goneTwice(said, read, (at) => isSinceAlive(said, at, lifetime.aliveAt, chain));
    }
    case 'nonce':
      return goneTwice(
        said,
        () => readNonce(lifetime, chain),
        (at) => isSinceAlive(said, at, lifetime.aliveAt, chain),
      );
  }
}

/** What a node says of a blockhash or nonce, and the slot at which it does. */
interface Reading {
  isGone: boolean;
  slot: bigint;
}

type IsCounted = (slot: bigint) => boolean | Promise<boolean>;

/** Asks a second time where it is gone. A node that has not reached the slot at which it was alive may not know it yet. */
async function goneTwice(
  said: Deaths,
  read: () => Promise<Reading>,
  isCounted: IsCounted,
): Promise<bigint | undefined> {
  const first = await goneOnce(said, read, isCounted);
  const second = first === undefined ? undefined : await goneOnce(said, read, isCounted);
  return first !== undefined && second !== undefined && first > second ? first : second;
}

async function goneOnce(said: Deaths, read: () => Promise<Reading>, isCounted: IsCounted): Promise<bigint | undefined> {
  const { isGone, slot } = await read();
  if (!isGone) contradict(said, slot);
  return isGone && (await isCounted(slot)) ? slot : undefined;
}

/**
 * What is alive at a slot was not dead before it. A node that is some slots behind contradicts nothing; of two that are further apart,
 * one is wrong.
 */
function contradict(said: Deaths, slot: bigint): void {
  const stands = (word: bigint) => word > slot && word <= slot + NODES_APART;
  if (said.past !== undefined && !stands(said.past)) said.past = undefined;
  said.gone = said.gone.filter(stands);
}

/** Whether what was told at this slot is told from `least` on; or `least` is a slot that never comes, and this one is of now. */
export async function isSince(slot: bigint, least: bigint, chain: Pick<Chain, 'rpc'>): Promise<boolean> {
  return slot >= least || (isAbsurd(least, slot) && (await isCurrent(slot, chain)));
}

const isAbsurd = (told: bigint, reached: bigint): boolean => told > reached + ABSURD;

async function isSinceAlive(said: Deaths, slot: bigint, aliveAt: bigint, chain: Chain): Promise<boolean> {
  return slot >= aliveAt || (isAbsurd(aliveAt, slot) && (await knowsIt(said, slot, chain)));
}

/** Whether a node at this slot knows what was there when nodes were asked for the first time, by this machine's clocks alone. */
async function knowsIt({ since }: Deaths, slot: bigint, chain: Chain): Promise<boolean> {
  return steadyNow() >= since + MOST_BEHIND_MS && (await isCurrent(slot, chain));
}

async function readBlockhash(blockhash: string, chain: Chain): Promise<Reading> {
  const { valid, slot } = await chain.isBlockhashValid(blockhash);
  return { isGone: !valid, slot };
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
async function readNonce(nonce: { account: Address; value: string }, chain: Chain): Promise<Reading> {
  const { account, slot } = await chain.accountReading(nonce.account);
  return { isGone: !account || nonceIn(account.data) !== nonce.value, slot };
}

/** The nonce in the data of a nonce account; undefined if it is too short for one. */
export function nonceIn(data: Uint8Array): string | undefined {
  return data.length >= NONCE_OFFSET + 32 ? addressFromBytes(data, NONCE_OFFSET) : undefined;
}
