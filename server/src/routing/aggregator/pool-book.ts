import type { Address } from '@slipway/wire';
import { accountsOf, type Candidate } from './finder.js';
import { type WatchedPool, type WatchedPoolDeps, watchPool } from './watched-pool.js';

interface PoolBookDeps extends WatchedPoolDeps {
  /** Called when a pool's own account says that it is none any more: it was closed, or has migrated. */
  onGone(pool: WatchedPool): void;
  /** Called when a pool is made of other accounts; returns whether these are read before what clients ask. */
  onMoved(pool: WatchedPool): boolean;
}

/** Accounts that a pool has moved away from and may come back to: of two moves, as over one edge to and fro. */
const MOST_FORMER = 4;

/** The watched pools, by the accounts that they consist of. */
export class PoolBook {
  readonly #deps: PoolBookDeps;
  readonly #pools = new Map<Address, WatchedPool>();
  readonly #byAccount = new Map<Address, Set<WatchedPool>>();
  /** Watched until the pools are looked for again: who trades a pool to and fro must not make each move wait for a read. */
  readonly #former = new Map<WatchedPool, readonly Address[]>();

  constructor(deps: PoolBookDeps) {
    this.#deps = deps;
    deps.live.onChange((address) => this.#changed(address));
  }

  get size(): number {
    return this.#pools.size;
  }

  has(address: Address): boolean {
    return this.#pools.has(address);
  }

  get(address: Address): WatchedPool | undefined {
    return this.#pools.get(address);
  }

  pools(): WatchedPool[] {
    return [...this.#pools.values()];
  }

  /**
   * Watches exactly these pools, and reads the accounts of the new ones. @throws ChainUnavailable, with nothing dropped
   * and nothing new watched
   */
  async replaceBy(wanted: ReadonlyMap<Address, Candidate>): Promise<{ added: number; dropped: number }> {
    const { live } = this.#deps;
    const gone = this.pools().filter((pool) => !isSamePool(pool, wanted.get(pool.address)));
    const fresh = [...wanted.values()].filter((candidate) => {
      const known = this.#pools.get(candidate.address);
      return !known || gone.includes(known);
    });
    const accounts = [...new Set(fresh.flatMap(accountsOf))];
    live.watch(accounts);
    try {
      await live.refresh(accounts);
    } catch (error) {
      this.#unwatch(accounts);
      throw error;
    }
    const former = [...this.#former.values()].flat();
    for (const pool of this.#former.keys()) {
      this.#unlink(pool);
      this.#former.delete(pool);
      this.#link(pool);
    }
    for (const pool of gone) {
      this.#pools.delete(pool.address);
      this.#unlink(pool);
    }
    for (const candidate of fresh) this.#add(candidate);
    this.#unwatch([...former, ...gone.flatMap((pool) => pool.accounts)]);
    return { added: fresh.length, dropped: gone.length };
  }

  #add(candidate: Candidate): void {
    const pool = watchPool(candidate, this.#deps);
    this.#pools.set(pool.address, pool);
    this.#link(pool);
    if (pool.changed(pool.address)) this.#move(pool);
  }

  #changed(account: Address): void {
    const moved: WatchedPool[] = [];
    for (const pool of this.#byAccount.get(account) ?? []) {
      if (pool.changed(account)) moved.push(pool);
      if (account === pool.address && !pool.named()) this.#deps.onGone(pool);
    }
    for (const pool of moved) this.#move(pool);
  }

  /** A pool whose accounts are now other ones is traded with again once those are read. */
  #move(pool: WatchedPool): void {
    const { live } = this.#deps;
    const before = this.#accountsOf(pool);
    const accounts = pool.named()!;
    const added = accounts.filter((account) => !before.includes(account));
    live.watch(added);
    const left = before.filter((account) => !accounts.includes(account));
    this.#unlink(pool);
    pool.follow(accounts);
    this.#former.set(pool, left.slice(0, MOST_FORMER));
    this.#link(pool);
    this.#unwatch(before);
    const first = this.#deps.onMoved(pool);
    // Accounts that cannot be read now are polled.
    live.refresh(added, { first }).catch(() => {});
  }

  /** The latest ones of before come first. */
  #accountsOf(pool: WatchedPool): Address[] {
    return [...pool.accounts, ...(this.#former.get(pool) ?? [])];
  }

  #link(pool: WatchedPool): void {
    for (const account of this.#accountsOf(pool)) {
      const pools = this.#byAccount.get(account) ?? new Set();
      this.#byAccount.set(account, pools.add(pool));
    }
  }

  #unlink(pool: WatchedPool): void {
    for (const account of this.#accountsOf(pool)) {
      const pools = this.#byAccount.get(account)!;
      pools.delete(pool);
      if (pools.size === 0) this.#byAccount.delete(account);
    }
  }

  /** Unwatches the accounts that no other pool uses. */
  #unwatch(accounts: readonly Address[]): void {
    this.#deps.live.unwatch(accounts.filter((account) => !this.#byAccount.has(account)));
  }
}

function isSamePool({ mints }: WatchedPool, other: Candidate | undefined): boolean {
  return other !== undefined && mints.every((mint, side) => mint === other.mints[side]);
}
