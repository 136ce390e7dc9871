import type { Address } from '@slipway/wire';
import type { AccountChange } from './account-codec.js';
import type { ChainState } from './chain-state.js';
import type { History } from './history.js';
import type { Account, StoredTransaction } from './types.js';

/** An executed transaction with what the history keeps beside it. */
export interface Execution {
  transaction: StoredTransaction;
  accounts: Address[];
  memo: string | null;
}

/** What is kept of a chain, as it stands. */
export interface ChainContents {
  state: ChainState;
  accounts: Iterable<[Address, Account]>;
  deleted: Iterable<Address>;
}

/** Where a chain's transactions and changes go: a data folder, or memory. */
export interface Storage {
  readonly history: History;
  /** Keeps what happened in `slot`, all of it or nothing; then it throws a ChainError of the kind `data`. */
  commit(slot: bigint, changes: AccountChange[], execution?: Execution): void;
  saveState(state: ChainState): void;
  /** Throws a ChainError of the kind `data` where nothing can be kept, as on a full disk. */
  assertWritable(): void;
  /** Whether it is time to call `compact`. */
  readonly isLong: boolean;
  compact(contents: ChainContents): void;
  close(contents: ChainContents): void;
}
