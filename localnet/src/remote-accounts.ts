import { type Address, BPF_LOADER_UPGRADEABLE } from '@slipway/wire';
import type { AccountsDb } from './accounts-db.js';
import type { Account, Upstream } from './types.js';
import { isSameAccount } from './vm.js';

/** Milliseconds after which an account of the upstream is read again. */
const FRESH_MS = 5_000;
/** The same for programs and their code: large, and seldom changed. */
const FRESH_PROGRAM_MS = 10 * 60_000;
/** Milliseconds for which the upstream is not asked again for an account that it does not have. */
const ABSENT_MS = 10_000;
/** How often the needs of one request are looked at anew; each round may show further ones. */
const MAX_ROUNDS = 8;
const ABSENT_LIMIT = 50_000;

/** The upstream's accounts in a fork: read when they are needed, and again later, until they are written here. */
export class RemoteAccounts {
  readonly #upstream: Upstream;
  readonly #db: AccountsDb;
  readonly #now: () => number;
  readonly #local: Set<Address>;
  readonly #fetchedAt = new Map<Address, number>();
  readonly #absentSince = new Map<Address, number>();

  /** `local` are the addresses that are this chain's own matter: written here, deleted here, or built in. */
  constructor(upstream: Upstream, db: AccountsDb, local: Set<Address>, now: () => number) {
    this.#upstream = upstream;
    this.#db = db;
    this.#local = local;
    this.#now = now;
  }

  isLocal(address: Address): boolean {
    return this.#local.has(address);
  }

  /** From now on the account is not read from the upstream any more. */
  markLocal(address: Address): void {
    this.#local.add(address);
    this.#fetchedAt.delete(address);
    this.#absentSince.delete(address);
  }

  /**
   * Has everything read that `needed` names, which is asked again after each answer because accounts point to others,
   * then calls `run` at once, before anything can change. Rejects when the upstream cannot be asked.
   */
  async with<T>(needed: () => Iterable<Address>, run: () => T): Promise<T> {
    const asked = new Set<Address>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // An answer that took longer than it counts as fresh is not asked for again.
      const missing = this.#missing(needed()).filter((address) => !asked.has(address));
      if (missing.length === 0) break;
      for (const address of missing) asked.add(address);
      const found = await this.#upstream.accounts(missing);
      for (const [index, address] of missing.entries()) this.#take(address, found[index]);
    }
    return run();
  }

  /** Has the upstream scan its accounts, and answers whose it found; what it found is known here from then on. */
  async scan(queries: Parameters<Upstream['scan']>[]): Promise<Set<Address>> {
    const found = new Set<Address>();
    for (const rows of await Promise.all(queries.map((query) => this.#upstream.scan(...query)))) {
      for (const { address, account } of rows) {
        this.#take(address, account);
        found.add(address);
      }
    }
    return found;
  }

  #missing(needed: Iterable<Address>): Address[] {
    const now = this.#now();
    const missing = new Set<Address>();
    for (const address of needed) {
      if (this.#local.has(address)) continue;
      const fetched = this.#fetchedAt.get(address);
      if (fetched !== undefined && now - fetched < this.#freshFor(address)) continue;
      const absent = this.#absentSince.get(address);
      if (absent !== undefined && now - absent < ABSENT_MS) continue;
      missing.add(address);
    }
    return [...missing];
  }

  #freshFor(address: Address): number {
    const account = this.#db.get(address);
    return account?.executable || account?.owner === BPF_LOADER_UPGRADEABLE ? FRESH_PROGRAM_MS : FRESH_MS;
  }

  #take(address: Address, found: Account | undefined): void {
    // It may have been written here while the upstream was asked.
    if (this.#local.has(address)) return;
    const account = found && found.lamports > 0n ? found : undefined;
    const known = this.#db.get(address);
    if (!account) {
      if (this.#absentSince.size >= ABSENT_LIMIT) this.#absentSince.clear();
      this.#absentSince.set(address, this.#now());
      this.#fetchedAt.delete(address);
    } else {
      this.#absentSince.delete(address);
      this.#fetchedAt.set(address, this.#now());
    }
    // The object stays the same where nothing changed: identity is what tells the virtual machine.
    if (account !== known && !(account && known && isSameAccount(account, known))) this.#db.set(address, account);
  }
}
