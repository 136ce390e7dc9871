import { type Address, nonceAccountOf } from '@slipway/wire';
import { type AccountsDb, isTokenAccount } from './accounts-db.js';
import { allAccounts, type ChainTransaction, loadedAddresses, writableAccounts } from './chain-transaction.js';
import { advancedNonce, isNonceUsable } from './durable-nonce.js';
import { transactionFee } from './fees.js';
import { mintOf, tokenBalances } from './token-balances.js';
import type { Account, LoadedAddresses, SimulationResult, StoredTransaction } from './types.js';
import { type ExecutionResult, isUpgradeableProgram, programDataAddress, type Vm } from './vm.js';

// What counts towards the size of a transaction's accounts beside their data, in bytes.
const ACCOUNT_OVERHEAD = 64;
const LOOKUP_TABLE_SIZE = 8248;

/** An account that a run changed. */
export interface WrittenAccount {
  address: Address;
  before: Account | undefined;
  after: Account | undefined;
}

/** A transaction that ran in the machine; the accounts of the chain are still as before. */
export interface Run extends ExecutionResult {
  /** Whether it counts as executed: a refused one paid no fee and left nothing. */
  executed: boolean;
  /** Lamports that were paid. */
  fee: bigint;
  accounts: Address[];
  writable: Address[];
  loaded: LoadedAddresses;
  written: WrittenAccount[];
  balances: Pick<StoredTransaction, 'preBalances' | 'postBalances' | 'preTokenBalances' | 'postTokenBalances'>;
}

/** An account that a transaction shall find otherwise than it is. */
export interface Substitute {
  address: Address;
  account: Account;
  /** Makes what the transaction left of it into what is kept. */
  restore(after: Account): Account;
}

/** Runs transactions in the machine on the accounts of the chain. */
export class Executor {
  readonly #vm: Vm;
  readonly #db: AccountsDb;

  constructor(vm: Vm, db: AccountsDb) {
    this.#vm = vm;
    this.#db = db;
  }

  /** All accounts that must be known to run a transaction, as far as those that are known tell. */
  needs({ message }: ChainTransaction): Address[] {
    const accounts = allAccounts(message, loadedAddresses(message, this.#get));
    const needed = [...accounts, ...message.lookups.map(({ table }) => table)];
    for (const address of accounts) {
      const account = this.#db.get(address);
      if (account && isUpgradeableProgram(account)) needed.push(programDataAddress(account));
      if (account && isTokenAccount(account)) needed.push(mintOf(account));
    }
    return needed;
  }

  /**
   * Runs a transaction. What it changed counts once it is stored in the accounts; where it is not, the machine is
   * given the accounts as they are before they are next used.
   */
  run(transaction: ChainTransaction, substitute?: Substitute): Run {
    const { message, wire } = transaction;
    const loaded = loadedAddresses(message, this.#get);
    const accounts = allAccounts(message, loaded);
    const writable = writableAccounts(message, loaded);
    const before = accounts.map(this.#get);
    this.#load(transaction, accounts);
    if (substitute) this.#vm.put(substitute.address, substitute.account);
    const result = this.#vm.execute(wire);
    const written = result.err === null ? this.#readBack(writable) : this.#readBackFailed(transaction);
    if (substitute) restore(substitute, written);
    const after = this.#after(accounts, before, written);
    const preBalances = this.#lamports(accounts, before);
    const postBalances = this.#lamports(accounts, after);
    // Lamports neither appear nor vanish in a transaction, but for the fee.
    const fee = sum(preBalances) - sum(postBalances);
    const lookup = (address: Address) =>
      written.find((entry) => entry.address === address)?.after ?? this.#db.get(address);
    const balances = {
      preBalances,
      postBalances,
      preTokenBalances: tokenBalances(before, lookup),
      postTokenBalances: tokenBalances(after, lookup),
    };
    const executed = result.err === null || written.length > 0;
    return { ...result, executed, fee, accounts, writable, loaded, written, balances };
  }

  simulate(transaction: ChainTransaction, sigVerify: boolean): SimulationResult {
    const { message, wire } = transaction;
    const loaded = loadedAddresses(message, this.#get);
    const accounts = allAccounts(message, loaded);
    this.#load(transaction, accounts);
    const writable = new Set(writableAccounts(message, loaded));
    const { postAccounts, ...result } = this.#vm.simulate(wire, sigVerify, writable);
    const post = new Map<Address, Account | undefined>();
    for (const { address, account } of postAccounts) post.set(address, account.lamports > 0n ? account : undefined);
    return {
      ...result,
      postAccounts: post,
      loadedAccountsDataSize: this.#size(transaction, accounts),
      loadedAddresses: loaded,
      fee: transactionFee(message),
    };
  }

  readonly #get = (address: Address): Account | undefined => this.#db.get(address);

  #load({ message }: ChainTransaction, accounts: Address[]): void {
    const tables = message.lookups.map(({ table }) => table);
    this.#vm.sync(tables.length > 0 ? [...accounts, ...tables] : accounts, this.#get);
  }

  #readBack(addresses: Address[]): WrittenAccount[] {
    const written: WrittenAccount[] = [];
    for (const address of addresses) {
      const before = this.#db.get(address);
      const after = this.#vm.isSysvar(address) ? before : this.#vm.readBack(address, before);
      if (after !== before) written.push({ address, before, after });
    }
    return written;
  }

  /** A failed transaction has paid its fee and used its nonce up, which the machine leaves to us. */
  #readBackFailed({ message }: ChainTransaction): WrittenAccount[] {
    const written = this.#readBack(message.accounts.slice(0, 1));
    const nonce = nonceAccountOf(message);
    const before = nonce && this.#db.get(nonce);
    if (written.length === 0 || !nonce || !isNonceUsable(message, before)) return written;
    const payer = written.find(({ address }) => address === nonce);
    const base = payer ? payer.after : before;
    if (!base) return written;
    const after = advancedNonce(base);
    if (payer) payer.after = after;
    else written.push({ address: nonce, before, after });
    return written;
  }

  #after(accounts: Address[], before: (Account | undefined)[], written: WrittenAccount[]): (Account | undefined)[] {
    const after = [...before];
    for (const entry of written) after[accounts.indexOf(entry.address)] = entry.after;
    return after;
  }

  #lamports(addresses: Address[], accounts: (Account | undefined)[]): bigint[] {
    return addresses.map((address, index) => accounts[index]?.lamports ?? (this.#vm.isSysvar(address) ? 1n : 0n));
  }

  #size({ message }: ChainTransaction, accounts: Address[]): number {
    let size = message.lookups.length * LOOKUP_TABLE_SIZE;
    for (const address of accounts) {
      const account = this.#db.get(address);
      if (!account) continue;
      size += ACCOUNT_OVERHEAD + account.data.length;
      const code = isUpgradeableProgram(account) ? this.#db.get(programDataAddress(account)) : undefined;
      if (code) size += ACCOUNT_OVERHEAD + code.data.length;
    }
    return size;
  }
}

function restore({ address, restore }: Substitute, written: WrittenAccount[]): void {
  const entry = written.find((candidate) => candidate.address === address);
  if (entry?.after) entry.after = restore(entry.after);
}

function sum(values: bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
