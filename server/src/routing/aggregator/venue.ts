import type { Address, Instruction } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';

/** Of a pool's two tokens, the one that comes in. */
export type Side = 0 | 1;

export interface Trade {
  /** Leaves the trader, the fee included; at most what was offered. */
  paid: bigint;
  received: bigint;
  /** What of `paid` is the pool's and its owners' fee; where they take it from what comes out, what that is worth. */
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
  /**
   * What can be traded of each token, roughly; what only lies there, or only for a price far from this one, is left out.
   * Says how much stands behind a price, and nothing of what a trade is worth: that is what estimates are for.
   */
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

/** What the bytes of a pool's account say. */
export interface PoolAccounts {
  /** Of the pool's tokens, in the order of its sides. */
  mints: readonly [Address, Address];
  /**
   * The accounts beside its own that `open` needs, which may be other ones when the pool's bytes have changed, and need
   * not exist. A venue whose trades depend on the time has the clock among them.
   */
  accounts: readonly Address[];
}

/** A kind of pool. Neither method throws, whatever the bytes; a reason is of few words and the same for all pools. */
export interface Venue {
  /** As the contract shows it. */
  readonly label: string;
  /** Owner of the pools' accounts. */
  readonly program: Address;
  /** Bytes of a pool's account. */
  readonly poolSize: number;
  /** Where in a pool's account its mints are, to find pools by; one where the other mint is in another account. */
  readonly mintOffsets: readonly [number] | readonly [number, number];
  /** Where in its instruction's data the amount (u64) is. */
  readonly amountOffset: number;
  /**
   * What an account of the program says, or why it is no pool. Where its bytes do not suffice, the account that is
   * needed beside it: one that never changes, given in `needed` when asked again.
   */
  describe(
    address: Address,
    account: ChainAccount,
    needed: { get(address: Address): ChainAccount | undefined },
  ): PoolAccounts | { needs: Address } | string;
  /** The pool that these accounts make, the others in the order of `describe`; or why nobody can trade with it. */
  open(address: Address, account: ChainAccount, others: readonly (ChainAccount | undefined)[]): PoolState | string;
}
