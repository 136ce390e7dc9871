import type { Address, Instruction } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';

/** Of a pool's two tokens, the one that comes in. */
export type Side = 0 | 1;

export interface Trade {
  /** Leaves the trader, the fee included; at most what was offered. */
  paid: bigint;
  received: bigint;
  /** What of `paid` is the pool's and its owner's fee. */
  fee: bigint;
}

export interface PoolToken {
  mint: Address;
  tokenProgram: Address;
  vault: Address;
}

export interface SwapAccounts {
  /** Owner of the source; signs. */
  owner: Address;
  source: Address;
  destination: Address;
  amountIn: bigint;
  minOut: bigint;
}

/** A pool as its accounts' bytes say it is; never changes. Amounts are in the smallest unit. */
export interface PoolState {
  readonly tokens: readonly [PoolToken, PoolToken];
  /** What lies in the vaults, roughly. Says nothing of what a trade is worth: that is what estimates are for. */
  readonly reserves: readonly [number, number];
  /** What the pool and its owner keep of a trade, roughly: 0 to 1. */
  readonly feeShare: number;
  /** Exactly what the venue does when `amount` is offered; undefined where it refuses. */
  quote(from: Side, amount: bigint): Trade | undefined;
  /** What comes out for an amount, roughly: to rank routes by. */
  estimateOut(from: Side, amount: number): number;
  /** What must go in for an amount that comes out, roughly; Infinity for more than there is. */
  estimateIn(from: Side, amount: number): number;
  /** Units that come out for one that goes in, for the smallest trade, without the fee. */
  price(from: Side): number;
  /** The venue's instruction. */
  swap(from: Side, accounts: SwapAccounts): Instruction;
}

/** A kind of pool. */
export interface Venue {
  /** As the contract shows it. */
  readonly label: string;
  /** Owner of the pools' accounts. */
  readonly program: Address;
  /** Bytes of a pool's account. */
  readonly poolSize: number;
  /** Where in its instruction's data the amount (u64) is. */
  readonly amountOffset: number;
  /** The tokens of the pool in these bytes, and the accounts beside its own that `open` needs; undefined for no pool. */
  describe(data: Uint8Array): { mints: readonly [Address, Address]; accounts: Address[] } | undefined;
  /** The pool that these accounts make, the others in the order of `describe`; or why nobody can trade with it. */
  open(address: Address, account: ChainAccount, others: readonly (ChainAccount | undefined)[]): PoolState | string;
}
