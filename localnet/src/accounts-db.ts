import { type Address, decodeKey, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { asBuffer, rawKey } from './bytes.js';
import type { Account, AddressedAccount } from './types.js';

const TOKEN_ACCOUNT_LENGTH = 165;
const MULTISIG_LENGTH = 355;
const TOKEN_ACCOUNT_TYPE = 2;
const STATE_OFFSET = 108;
const DELEGATE_TAG_OFFSET = 72;

/**
 * All accounts of the chain, with an index by owner program and, for token accounts, by token owner and by mint.
 * Accounts are immutable: a change is another object, so that identity tells whether one has changed.
 */
export class AccountsDb {
  readonly #accounts = new Map<Address, Account>();
  readonly #byProgram = new Map<Address, Set<Address>>();
  #tokens: TokenIndexes | undefined;

  get size(): number {
    return this.#accounts.size;
  }

  get(address: Address): Account | undefined {
    return this.#accounts.get(address);
  }

  entries(): IterableIterator<[Address, Account]> {
    return this.#accounts.entries();
  }

  /** Stores an account; undefined deletes it. */
  set(address: Address, account: Account | undefined): void {
    const before = this.#accounts.get(address);
    if (account) this.#accounts.set(address, account);
    else this.#accounts.delete(address);
    if (before?.owner !== account?.owner) {
      if (before) this.#removeFromProgram(before.owner, address);
      if (account) this.#addToProgram(account.owner, address);
    }
    if (this.#tokens) indexToken(this.#tokens, address, before, account);
  }

  programAccounts(program: Address): AddressedAccount[] {
    return this.#pick(this.#byProgram.get(program) ?? []);
  }

  /** The token accounts of a wallet, of both token programs. */
  tokenAccountsByOwner(owner: Address): AddressedAccount[] {
    return this.#pick(this.#tokenIndexes().byOwner.get(keyOf(owner)));
  }

  tokenAccountsByMint(mint: Address): AddressedAccount[] {
    return this.#pick(this.#tokenIndexes().byMint.get(keyOf(mint)));
  }

  /** Delegations are rare: this goes through all token accounts. */
  tokenAccountsByDelegate(delegate: Address): AddressedAccount[] {
    const key = keyOf(delegate);
    return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
      .flatMap((program) => this.programAccounts(program))
      .filter(({ account }) => isTokenAccount(account) && delegateKey(account.data) === key);
  }

  #pick(addresses: Iterable<Address>): AddressedAccount[] {
    const picked: AddressedAccount[] = [];
    for (const address of addresses) picked.push({ address, account: this.#accounts.get(address)! });
    return picked;
  }

  #addToProgram(program: Address, address: Address): void {
    const members = this.#byProgram.get(program);
    if (members) members.add(address);
    else this.#byProgram.set(program, new Set([address]));
  }

  #removeFromProgram(program: Address, address: Address): void {
    const members = this.#byProgram.get(program)!;
    members.delete(address);
    if (members.size === 0) this.#byProgram.delete(program);
  }

  /** Made when first asked for: a start with many accounts need not wait for them. */
  #tokenIndexes(): TokenIndexes {
    if (!this.#tokens) {
      this.#tokens = { byOwner: new MultiIndex(), byMint: new MultiIndex() };
      for (const [address, account] of this.#accounts) indexToken(this.#tokens, address, undefined, account);
    }
    return this.#tokens;
  }
}

interface TokenIndexes {
  byOwner: MultiIndex;
  byMint: MultiIndex;
}

function indexToken(
  { byOwner, byMint }: TokenIndexes,
  address: Address,
  before: Account | undefined,
  after: Account | undefined,
): void {
  const was = before !== undefined && isTokenAccount(before);
  const is = after !== undefined && isTokenAccount(after);
  // Mint and owner are the first 64 bytes; a transfer changes neither.
  if (was && is && asBuffer(before.data).compare(after.data, 0, 64, 0, 64) === 0) return;
  if (was) {
    byMint.remove(rawKey(before.data, 0), address);
    byOwner.remove(rawKey(before.data, 32), address);
  }
  if (is) {
    byMint.add(rawKey(after.data, 0), address);
    byOwner.add(rawKey(after.data, 32), address);
  }
}

/** Whether the account is an initialized token account of SPL Token or Token-2022. */
export function isTokenAccount({ owner, data }: Account): boolean {
  if (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM) return false;
  if (data.length < TOKEN_ACCOUNT_LENGTH || data[STATE_OFFSET] === 0) return false;
  if (data.length === TOKEN_ACCOUNT_LENGTH) return true;
  return (
    owner === TOKEN_2022_PROGRAM && data.length !== MULTISIG_LENGTH && data[TOKEN_ACCOUNT_LENGTH] === TOKEN_ACCOUNT_TYPE
  );
}

function delegateKey(data: Uint8Array): string | undefined {
  return data[DELEGATE_TAG_OFFSET] === 1 ? rawKey(data, DELEGATE_TAG_OFFSET + 4) : undefined;
}

const scratch = Buffer.alloc(32);

function keyOf(address: Address): string {
  decodeKey(address, scratch);
  return rawKey(scratch);
}

/** Sets of addresses by key. Most wallets have a single token account, which is kept without a set. */
class MultiIndex {
  readonly #members = new Map<string, Address | Set<Address>>();

  get(key: string): Iterable<Address> {
    const members = this.#members.get(key);
    if (members === undefined) return [];
    return typeof members === 'string' ? [members] : members;
  }

  add(key: string, address: Address): void {
    const members = this.#members.get(key);
    if (members === undefined) this.#members.set(key, address);
    else if (typeof members === 'string') this.#members.set(key, new Set([members, address]));
    else members.add(address);
  }

  remove(key: string, address: Address): void {
    const members = this.#members.get(key);
    if (members === address) this.#members.delete(key);
    else if (members instanceof Set) {
      members.delete(address);
      if (members.size === 0) this.#members.delete(key);
    }
  }
}
