import type { ClockState } from './chain-clock.js';
import type { GenesisToken } from './types.js';

/** What a chain is apart from its accounts and transactions. Persisted as JSON. */
export interface ChainState {
  /** Hex of the random bytes that the blockhashes follow from. */
  seed: string;
  clock: ClockState;
  /** The highest slot that anything was written in. */
  lastSlot: bigint;
  transactionCount: bigint;
  /** The chain that this one was forked from. */
  fork: { genesisHash: string } | null;
  /** The name that the faucet's key is derived from. */
  faucetName: string;
  tokens: GenesisToken[];
  receiver: string;
  /** Hash of the code of each operator's program as it was last loaded, by address. */
  programs: Record<string, string>;
  /** Hash of the accounts of the operator's folder as they were last loaded. */
  pulled?: string;
}

const BIGINTS = new Set(['firstSlot', 'lastSlot', 'transactionCount']);

export function encodeState(state: ChainState): Buffer {
  return Buffer.from(JSON.stringify(state, (_key, value) => (typeof value === 'bigint' ? value.toString() : value)));
}

export function decodeState(bytes: Buffer): ChainState {
  return JSON.parse(bytes.toString(), (key, value) => (BIGINTS.has(key) ? BigInt(value) : value));
}
