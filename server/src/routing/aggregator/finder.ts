import { setImmediate } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { type ChainAccount, type LiveAccounts, ownAccount, type Rpc } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { BELIEVED_MS, readAgain } from './known-mints.js';
import type { Remembered } from './memory.js';
import { type FoundMints, MintScans } from './mint-scans.js';
import type { SkippedPools } from './skipped-pools.js';
import type { PoolAccounts, Venue } from './venue.js';
import { type FoundPool, scanVenue } from './venue-scans.js';

const MAX_NEEDED = 50_000;
/** Pools that are described before other work gets its turn: each may have ten addresses to be derived. */
const DESCRIBED_AT_ONCE = 20;
/** Pools that are included because somebody here has made them. */
const MAX_LEARNED = 1_000;

export interface Candidate extends PoolAccounts {
  address: Address;
  venue: Venue;
}

/** The pool's own account, then the others. */
export const accountsOf = ({ address, accounts }: Candidate): Address[] => [address, ...accounts];

export interface FinderDeps {
  rpc: Rpc;
  live: LiveAccounts;
  venues: readonly Venue[];
  /** Pools to include whether the RPC lists them or not. */
  configured: readonly Address[];
  skipped: SkippedPools;
  log: Logger;
  steadyNow: () => number;
  /** Whether pools are found by requested mint, as on a chain with more pools than can be listed. */
  byMint: boolean;
  hubs: readonly Address[];
  mints: FoundMints;
  /** Counts the scans that failed. */
  registry?: Registry;
  /** Called when the pools of newly requested mints are known; resolves when they are watched. */
  onFound(): Promise<void>;
}

/**
 * Finds pools: for each venue all that the RPC lists, or, if it does not list them all or `byMint` is set, those of the
 * requested mints. Configured pools are always included.
 */
export class Finder {
  readonly asked: Pick<MintScans, 'ask' | 'askIfRoom' | 'askInTurn' | 'keep' | 'isSearching' | 'known' | 'claims'>;
  readonly #deps: FinderDeps;
  readonly #scans: MintScans;
  readonly #lists = new Map<Venue, FoundPool[]>();
  readonly #unlisted = new Set<Venue>();
  readonly #learned = new LRUCache<Address, true>({ max: MAX_LEARNED });
  readonly #failures: Counter<'venue'>;
  /** Venues whose failure has been logged. */
  readonly #failing = new Set<Venue>();
  /** Accounts that venues needed to describe a pool; they never change, and are read again from time to time all the same. */
  readonly #needed = new GrowingCache<Address, { account: ChainAccount; until: number }>(MAX_NEEDED);

  constructor(deps: FinderDeps) {
    this.#deps = deps;
    this.#failures = failureCounter(deps.registry);
    this.#scans = new MintScans({
      ...deps,
      venues: () => deps.venues.filter((venue) => deps.byMint || this.#unlisted.has(venue)),
      failed: (venue, error) => this.#failed(venue, error),
    });
    this.asked = this.#scans;
  }

  /** Looks for pools on the chain. */
  async scan(): Promise<void> {
    const { byMint, venues } = this.#deps;
    if (!byMint) await Promise.all(venues.map((venue) => this.#listAll(venue)));
    await this.#scans.refresh();
  }

  /** Takes over what an earlier run was asked for. Pools that cannot be read are searched for. */
  async recall(remembered: readonly Remembered[]): Promise<void> {
    const found = await this.#readPools(remembered.flatMap(({ pools }) => pools)).catch((error: Error) => {
      this.#deps.log.warn({ reason: error.message }, 'the pools that were in use cannot be read; looking for them');
      return [];
    });
    const byAddress = new Map(found.map((one) => [one.address, one]));
    this.#scans.recall(
      remembered.map(({ mints, pools }) => ({
        mints,
        pools: pools.flatMap((address) => byAddress.get(address) ?? []),
      })),
    );
  }

  /** Includes a pool before a search finds it. False where it is included already. */
  learn(pool: Address): boolean {
    const isNew = !this.#learned.has(pool);
    this.#learned.set(pool, true);
    return isNew;
  }

  /** Looks for the pools of these mints now, as far as they are requested. */
  async again(mints: readonly Address[]): Promise<void> {
    const { byMint, venues, onFound } = this.#deps;
    this.#scans.again(mints);
    if (byMint) return;
    await Promise.all(venues.filter((venue) => !this.#unlisted.has(venue)).map((venue) => this.#listAll(venue)));
    await onFound();
  }

  /** The pools found last, the configured ones and those that it was told of. */
  async candidates(): Promise<Candidate[]> {
    const listed = [...[...this.#lists.values()].flat(), ...this.#scans.found()];
    const found = new Map(listed.map((one) => [one.address, one]));
    return this.#describe([...found.values(), ...(await this.#readNamed(found))]);
  }

  async #listAll(venue: Venue): Promise<void> {
    try {
      this.#lists.set(venue, await scanVenue(this.#deps.rpc, venue));
      this.#unlisted.delete(venue);
    } catch (error) {
      this.#failures.inc({ venue: venue.label });
      if (!this.#unlisted.has(venue)) {
        const about = { err: error, venue: venue.label };
        this.#deps.log.warn(about, 'the RPC does not list all pools; they are found by mint');
      }
      this.#unlisted.add(venue);
    }
  }

  #failed(venue: Venue, error: unknown): void {
    this.#failures.inc({ venue: venue.label });
    if (this.#failing.has(venue)) return;
    this.#failing.add(venue);
    const about = { err: error, venue: venue.label };
    this.#deps.log.warn(about, 'the RPC does not list the pools of a mint; using those already known');
  }

  async #readNamed(known: ReadonlyMap<Address, FoundPool>): Promise<FoundPool[]> {
    const named = [...this.#deps.configured, ...this.#learned.keys()];
    return this.#readPools(named.filter((address) => !known.has(address)));
  }

  async #readPools(addresses: readonly Address[]): Promise<FoundPool[]> {
    const { live, venues } = this.#deps;
    if (addresses.length === 0) return [];
    return [...(await live.refresh([...new Set(addresses)]))].flatMap(([address, { account }]) => {
      const venue = venues.find(({ program }) => program === account?.owner);
      return account && venue ? [{ address, venue, account }] : [];
    });
  }

  /**
   * Has the venues describe the pools; where a pool's own bytes do not suffice, reads what is needed and asks again.
   */
  async #describe(found: FoundPool[]): Promise<Candidate[]> {
    const { skipped, steadyNow } = this.#deps;
    const now = steadyNow();
    const candidates: Candidate[] = [];
    const unclear = new Map<Address, FoundPool[]>();
    const ask = (one: FoundPool, isLast: boolean) => {
      const { address, venue, account } = one;
      const described = venue.describe(address, account, {
        get: (needs) => {
          const known = this.#needed.get(needs);
          return known && (isLast || known.until > now) ? known.account : undefined;
        },
      });
      if (typeof described === 'string') skipped.note(address, venue, described);
      else if (!('needs' in described)) candidates.push({ address, venue, ...described });
      else if (isLast) skipped.note(address, venue, 'an account that it names is missing');
      else unclear.set(described.needs, [...(unclear.get(described.needs) ?? []), one]);
    };
    for (const [i, one] of found.entries()) {
      if (i % DESCRIBED_AT_ONCE === 0 && i > 0) await setImmediate();
      ask(one, false);
    }
    if (unclear.size === 0) return candidates;
    for (const [address, { account }] of await readAgain(this.#deps, [...unclear.keys()], this.#needed)) {
      const needed = account ? ownAccount(account) : this.#needed.get(address)?.account;
      if (needed) this.#needed.set(address, { account: needed, until: now + BELIEVED_MS });
    }
    for (const one of [...unclear.values()].flat()) ask(one, true);
    return candidates;
  }
}

function failureCounter(registry: Registry | undefined): Counter<'venue'> {
  return new Counter({
    name: 'slipway_pool_scans_failed_total',
    help: 'Questions for the pools of a venue that the RPC refused or did not answer.',
    labelNames: ['venue'],
    registers: registry ? [registry] : [],
  });
}
