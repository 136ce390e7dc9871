import type { Address, Instruction } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import type { Effort } from './effort.js';

/** Which of a pool's two tokens comes in. */
export type Side = 0 | 1;

export interface Trade {
  /** Leaves the trader, including the fee; at most what was offered. */
  paid: bigint;
  received: bigint;
  /** The part of `paid` that the pool and its owners keep; if they take it from the output, what that is worth. */
  fee: bigint;
  /** Compute units of its steps, at least, where trades use more by taking more of them. */
  units?: number;
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

/** A pool's state by the bytes of its accounts; immutable. Amounts are in the smallest unit. */
export interface PoolState {
  readonly tokens: readonly [PoolToken, PoolToken];
  /**
   * How much of each token can be traded, roughly, leaving out what only lies there or is only for a price far from
   * this one. It tells how much depth stands behind a price, not what a trade yields: that is what estimates are for.
   */
  readonly reserves: readonly [number, number];
  /** The share of a trade that the pool and its owner keep, roughly: 0 to 1. */
  readonly feeShare: number;
  /** The part of `feeShare` that trades do not raise; missing where it is all of it. */
  readonly baseFeeShare?: number;
  /** `feeShare` with the most that volatility can add, by the pool's terms; missing where its program allows 10 % at most. */
  readonly mostFeeShare?: number;
  /**
   * What it may leave of an offer: dust, because it rounds, or any part of it, where it ends before. Missing: it takes all of an offer,
   * or fails.
   */
  readonly leaves?: 'dust' | 'part';
  /**
   * Exactly what the venue does when `amount` is offered; undefined if it refuses. It may take only a part. A pool of many steps
   * spends a microsecond for each that it goes.
   */
  quote(from: Side, amount: bigint, effort?: Effort): Trade | undefined;
  /** Rough output for an amount, to rank routes by; 0 for more than it takes. */
  estimateOut(from: Side, amount: number): number;
  /** Rough input for an output; Infinity for more than there is. */
  estimateIn(from: Side, amount: number): number;
  /** The same over all that the pool holds, where a trade could not go through all of it, at the fee of its beginning. */
  depthIn?(from: Side, amount: number): number;
  /** The spot price: units out per unit in, for the smallest trade, without the fee. */
  price(from: Side): number;
  /**
   * Compute units that a trade may use beyond those of a simulation, where prices move by up to this share (0 to 1)
   * until it runs; missing where all trades use about as many.
   */
  moreUnits?(from: Side, amount: bigint, share: number): number;
  /** The venue's instruction. */
  swap(from: Side, accounts: SwapAccounts): Instruction;
  /** The accounts of the instruction that others replace when the price has moved; missing where there are none. */
  movingAccounts?(from: Side): readonly Address[];
}

/** What a pool's account says. */
export interface PoolAccounts {
  /** Mints of the pool's tokens, in the order of its sides. */
  mints: readonly [Address, Address];
  /**
   * The accounts beside its own that `open` needs. They may change with the pool's bytes, and need not exist. A venue
   * whose trades depend on the time includes the clock.
   */
  accounts: readonly Address[];
}

/** A kind of pool. Neither method throws, whatever the bytes. A reason is a few words, the same for all pools. */
export interface Venue {
  /** As the contract shows it. */
  readonly label: string;
  /** Owner of the pools' accounts. */
  readonly program: Address;
  /** Size of a pool's account in bytes. */
  readonly poolSize: number;
  /** Offsets of the mints in a pool's account, to find pools by; only one if the other mint is in another account. */
  readonly mintOffsets: readonly [number] | readonly [number, number];
  /** Offset of the amount (u64) in the instruction's data. */
  readonly amountOffset: number;
  /**
   * Describes an account of the program, or says why it is not a pool. If its bytes do not suffice, names the other
   * account that it needs; that one never changes, and is given in `needed` when asked again.
   */
  describe(
    address: Address,
    account: ChainAccount,
    needed: { get(address: Address): ChainAccount | undefined },
  ): PoolAccounts | { needs: Address } | string;
  /** Opens the pool from its accounts, `others` in the order of `describe`; or says why nobody can trade with it. */
  open(address: Address, account: ChainAccount, others: readonly (ChainAccount | undefined)[]): PoolState | string;
}
