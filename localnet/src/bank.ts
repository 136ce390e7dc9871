import { type Address, nonceAccountOf } from '@slipway/wire';
import type { AccountsDb } from './accounts-db.js';
import { Blockhashes, MAX_BLOCKHASH_AGE } from './blockhashes.js';
import { ChainClock } from './chain-clock.js';
import { ChainError } from './chain-error.js';
import type { ChainState } from './chain-state.js';
import { type ChainTransaction, memoOf, messageKey } from './chain-transaction.js';
import { isNonceUsable } from './durable-nonce.js';
import { Executor, type Run, type Substitute, type WrittenAccount } from './executor.js';
import { computeUnitPrice, transactionFee } from './fees.js';
import { RecentTransactions } from './recent-transactions.js';
import type { ChainContents, Storage } from './storage.js';
import type { Account, Blockhash, ChainEvent, SimulationResult, TransactionErrorJson } from './types.js';
import type { Vm } from './vm.js';

type TransactionEvent = Extract<ChainEvent, { type: 'transaction' }>;

interface BankParts {
  vm: Vm;
  db: AccountsDb;
  storage: Storage;
  state: ChainState;
  now: () => number;
  /** Accounts that every chain has: they are not stored. */
  builtins: Map<Address, Account>;
  /** Accounts of a fork's upstream that were deleted here; undefined where the chain is no fork. */
  deleted: Set<Address> | undefined;
  /** Whether an account is this chain's own and so to be stored, not the copy of an upstream's. */
  isLocal(address: Address): boolean;
  /** Called with every account that is written here. */
  markLocal(address: Address): void;
}

/** The state of the chain and the rules by which it changes. Nothing here waits: every call is done when it returns. */
export class Bank {
  readonly #parts: BankParts;
  readonly #clock: ChainClock;
  readonly #blockhashes: Blockhashes;
  readonly #executor: Executor;
  readonly #recent = new RecentTransactions();
  #transactionCount: bigint;
  #vmSlot = -1n;

  constructor(parts: BankParts) {
    this.#parts = parts;
    const { state, vm, db, storage } = parts;
    this.#clock = new ChainClock(state.clock, state.lastSlot, parts.now);
    this.#blockhashes = new Blockhashes(Buffer.from(state.seed, 'hex'), this.#clock.slot);
    this.#executor = new Executor(vm, db);
    this.#transactionCount = state.transactionCount;
    for (const { wire, slot } of storage.history.wiresSince(this.#clock.slot - MAX_BLOCKHASH_AGE)) {
      this.#recent.addMessage(slot, messageKey(wire.subarray(1 + 64 * wire[0]!)));
    }
  }

  get slot(): bigint {
    return this.#clock.slot;
  }

  get unixTimestamp(): bigint {
    return this.#clock.unixTimestamp;
  }

  get transactionCount(): bigint {
    return this.#transactionCount;
  }

  get latestBlockhash(): Blockhash {
    return { blockhash: this.#blockhashes.latest, lastValidBlockHeight: this.slot + MAX_BLOCKHASH_AGE };
  }

  isBlockhashValid(blockhash: string): boolean {
    return this.#blockhashes.slotOf(blockhash) !== undefined;
  }

  blockTime(slot: bigint): bigint | undefined {
    return slot < this.#clock.state.firstSlot || slot > this.slot ? undefined : this.#clock.blockTime(slot);
  }

  fees(accounts: Address[]): { slot: bigint; fee: bigint }[] {
    return this.#recent.fees(this.slot, accounts);
  }

  /** Moves on to the slot that the clock tells; answers whether it is another one. */
  tick(): boolean {
    if (!this.#clock.update()) return false;
    this.#enterSlot();
    return true;
  }

  advanceClock(seconds: number): number {
    const milliseconds = this.#clock.advance(seconds);
    this.#enterSlot();
    this.saveState();
    return milliseconds;
  }

  read(address: Address): Account | undefined {
    if (!this.#parts.vm.isSysvar(address)) return this.#parts.db.get(address);
    this.#syncTime();
    return this.#parts.vm.read(address);
  }

  /** All accounts that must be known to run a transaction, as far as those that are known tell. */
  needs(transaction: ChainTransaction): Address[] {
    return this.#executor.needs(transaction);
  }

  /**
   * Executes a transaction and stores it. Throws a ChainError when it is refused: nothing has happened then. With
   * `skipPreflight` one that fails is executed nevertheless; it pays its fee and is stored with its error.
   */
  execute(transaction: ChainTransaction, skipPreflight: boolean, substitute?: Substitute): TransactionEvent {
    this.tick();
    const refusal = this.#refusal(transaction);
    if (refusal) throw refused(transaction, refusal);
    this.#syncTime();
    const run = this.#executor.run(transaction, substitute);
    if (run.err !== null && !(skipPreflight && run.executed)) throw failed(transaction, run);
    this.#commit(transaction, run);
    const { err, logs, accounts } = run;
    const changed = run.written.map(({ address }) => address);
    return { type: 'transaction', signature: transaction.signature, slot: this.slot, err, logs, accounts, changed };
  }

  simulate(
    transaction: ChainTransaction,
    { sigVerify, replaceRecentBlockhash }: { sigVerify: boolean; replaceRecentBlockhash: boolean },
  ): SimulationResult {
    this.tick();
    const refusal = replaceRecentBlockhash ? undefined : this.#refusal(transaction);
    if (refusal) return nothingRan(transaction, refusal);
    this.#syncTime();
    const result = this.#executor.simulate(transaction, sigVerify);
    return replaceRecentBlockhash ? { ...result, replacementBlockhash: this.latestBlockhash } : result;
  }

  /** Writes an account as it is given; undefined deletes it. Throws a ChainError of the kind `invalid`. */
  write(address: Address, account: Account | undefined): void {
    this.writeAll([{ address, account }]);
  }

  /** Writes accounts, all or none of them. Throws a ChainError of the kind `invalid`. */
  writeAll(accounts: { address: Address; account: Account | undefined }[]): void {
    const { vm, db, storage } = this.#parts;
    const written = accounts.map(({ address, account }) => {
      if (vm.isSysvar(address)) throw new ChainError('invalid', `${address} is a sysvar`);
      const after = account && account.lamports > 0n ? account : undefined;
      if (after?.executable) vm.sync([address], (key) => (key === address ? after : db.get(key)));
      return { address, before: db.get(address), after };
    });
    storage.commit(
      this.slot,
      written.map((each) => this.#change(each)),
    );
    this.#store(written);
  }

  saveState(): void {
    this.#parts.storage.saveState(this.#state());
  }

  compact(): void {
    this.#parts.storage.compact(this.#contents());
  }

  close(): void {
    this.saveState();
    this.#parts.storage.close(this.#contents());
  }

  #enterSlot(): void {
    this.#blockhashes.moveTo(this.slot);
    this.#recent.moveTo(this.slot);
  }

  #syncTime(): void {
    if (this.#vmSlot === this.slot) return;
    this.#parts.vm.setTime(this.slot, this.unixTimestamp, this.#blockhashes.slotHashes);
    this.#vmSlot = this.slot;
  }

  /** Why the transaction must not run, whatever it would do. */
  #refusal({ message, messageKey }: ChainTransaction): 'AlreadyProcessed' | 'BlockhashNotFound' | undefined {
    if (this.#recent.has(messageKey)) return 'AlreadyProcessed';
    if (this.isBlockhashValid(message.blockhash)) return undefined;
    const nonce = nonceAccountOf(message);
    return nonce && isNonceUsable(message, this.#parts.db.get(nonce)) ? undefined : 'BlockhashNotFound';
  }

  /** Makes what a run did last. When this throws, the accounts are as before, and the machine is given them again. */
  #commit(transaction: ChainTransaction, run: Run): void {
    const { wire, message, signature } = transaction;
    const { err, fee, logs, innerInstructions, unitsConsumed, returnData, loaded, accounts, balances } = run;
    const { slot, unixTimestamp } = this;
    this.#parts.storage.commit(
      slot,
      run.written.map((written) => this.#change(written)),
      {
        transaction: {
          signature,
          slot,
          blockTime: unixTimestamp,
          wire,
          err,
          fee,
          ...balances,
          logs,
          innerInstructions,
          unitsConsumed,
          returnData,
          loadedAddresses: loaded,
        },
        accounts,
        memo: memoOf(message),
      },
    );
    this.#store(run.written);
    this.#transactionCount += 1n;
    this.#recent.addMessage(slot, transaction.messageKey);
    this.#recent.addPrice(slot, computeUnitPrice(message), run.writable);
  }

  #store(written: WrittenAccount[]): void {
    const { db, deleted, markLocal } = this.#parts;
    for (const { address, after } of written) {
      db.set(address, after);
      markLocal(address);
      if (after) deleted?.delete(address);
      else deleted?.add(address);
    }
  }

  /** A reader of what is stored has neither the built-in accounts nor copies of an upstream's. */
  #change({ address, before, after }: WrittenAccount): WrittenAccount {
    return { address, before: this.#isStored(address, before) ? before : undefined, after };
  }

  #isStored(address: Address, account: Account | undefined): boolean {
    return account !== undefined && this.#parts.builtins.get(address) !== account && this.#parts.isLocal(address);
  }

  *#storedAccounts(): Generator<[Address, Account]> {
    for (const entry of this.#parts.db.entries()) if (this.#isStored(...entry)) yield entry;
  }

  #contents(): ChainContents {
    return { state: this.#state(), accounts: this.#storedAccounts(), deleted: this.#parts.deleted ?? [] };
  }

  #state(): ChainState {
    const { clock, transactionCount } = { clock: this.#clock.state, transactionCount: this.#transactionCount };
    return { ...this.#parts.state, clock, transactionCount, lastSlot: this.slot };
  }
}

function nothingRan({ message }: ChainTransaction, err: TransactionErrorJson): SimulationResult {
  return {
    err,
    logs: [],
    unitsConsumed: 0n,
    postAccounts: new Map(),
    returnData: null,
    innerInstructions: [],
    loadedAccountsDataSize: 0,
    loadedAddresses: { writable: [], readonly: [] },
    fee: transactionFee(message),
  };
}

function refused(transaction: ChainTransaction, err: 'AlreadyProcessed' | 'BlockhashNotFound'): ChainError {
  const simulation = nothingRan(transaction, err);
  return err === 'AlreadyProcessed'
    ? new ChainError('already-processed', 'this transaction has already been processed', simulation)
    : new ChainError('blockhash', 'blockhash not found', simulation);
}

function failed(transaction: ChainTransaction, run: Run): ChainError {
  const { err, logs, unitsConsumed, returnData, innerInstructions, loaded } = run;
  if (err === 'SignatureFailure') return new ChainError('signature', 'a signature is missing or wrong');
  const simulation: SimulationResult = {
    ...nothingRan(transaction, err ?? ''),
    logs,
    unitsConsumed,
    returnData,
    innerInstructions,
    loadedAddresses: loaded,
  };
  return new ChainError('preflight', `transaction simulation failed: ${JSON.stringify(err)}`, simulation);
}
