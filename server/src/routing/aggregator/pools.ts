import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import { deepestPools } from './deepest.js';
import { type Candidate, createFinder, type Finder, type FinderDeps } from './finder.js';
import { createMarket, type Market } from './market.js';
import { type PoolMint, readMint } from './mints.js';
import { createSkippedPools } from './skipped-pools.js';
import type { Venue } from './venue.js';
import { openPool, type WatchedPool, watchPool } from './watched-pool.js';

const DISCOVERY_MS = 30_000;
/** Two calls for each mint and venue. */
const BY_MINT_MS = 60_000;
const MAX_MINTS = 50_000;

export interface PoolsDeps extends Omit<FinderDeps, 'skipped' | 'onFound'> {
  /** Most pools that are watched; configured ones come first. */
  maxPools: number;
}

/** The pools that can be traded with, found again from time to time. */
export interface Pools extends Pick<Finder, 'asked'> {
  market(): Market;
  /** Finds pools now; what cannot be found because the chain gives no answer stays as it was. */
  discover(): Promise<void>;
  /** Undefined for no mint. Kept: what matters of a mint never changes. @throws ChainUnavailable */
  mint(address: Address): Promise<PoolMint | undefined>;
  /** Of a mint that was read before. */
  knownMint(address: Address): PoolMint | undefined;
  /** How many pools of a venue cannot be traded with, by the reasons. */
  skipped(venue: Venue): Record<string, number>;
  close(): void;
}

export function createPools(deps: PoolsDeps): Pools {
  const { live, log, maxPools, configured } = deps;
  const mints = new LRUCache<Address, PoolMint>({ max: MAX_MINTS });
  const watched = new Map<Address, WatchedPool>();
  const poolsOf = new Map<Address, Set<WatchedPool>>();
  const skipped = createSkippedPools();
  const finder = createFinder({ ...deps, skipped, onFound: () => void (isClosed || update()) });
  let market = createMarket([]);
  let leftOut = 0;
  let discovering: Promise<void> | undefined;
  let updating: Promise<void> | undefined;
  let isOutdated = false;
  let isClosed = false;

  live.onChange((address) => {
    const moved: WatchedPool[] = [];
    for (const pool of poolsOf.get(address) ?? []) if (pool.changed(address)) moved.push(pool);
    for (const pool of moved) move(pool);
  });

  function link(pool: WatchedPool): void {
    for (const account of pool.accounts) {
      const pools = poolsOf.get(account) ?? new Set();
      poolsOf.set(account, pools.add(pool));
    }
  }

  function unlink(pool: WatchedPool): void {
    for (const account of pool.accounts) {
      const pools = poolsOf.get(account)!;
      pools.delete(pool);
      if (pools.size === 0) poolsOf.delete(account);
    }
  }

  /** A pool that is made of other accounts than before is traded with again when they are read. */
  function move(pool: WatchedPool): void {
    const before = pool.accounts;
    const accounts = pool.named()!;
    const added = accounts.filter((account) => !before.includes(account));
    live.watch(added);
    unlink(pool);
    pool.follow(accounts);
    link(pool);
    live.unwatch(before.filter((account) => !poolsOf.has(account)));
    // What cannot be read now is polled.
    live.refresh(added).catch(() => {});
  }

  async function readMints(addresses: readonly Address[]): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => !mints.has(address));
    if (unknown.length === 0) return;
    for (const [address, { account }] of await live.refresh(unknown)) {
      const facts = readMint(account);
      if (facts) mints.set(address, facts);
    }
  }

  function isSupported({ address, venue, mints: pair }: Candidate): boolean {
    for (const mint of pair) {
      const facts = mints.get(mint);
      if (facts && facts.unsupported === undefined) continue;
      skipped.note(address, venue, facts ? `a mint with the extension ${facts.unsupported}` : 'a mint that is none');
      return false;
    }
    return true;
  }

  /**
   * A pool that is watched is not given up for another, or new ones could drive the good ones out; the deepest of the
   * others get the room that is left.
   */
  async function capped(candidates: Candidate[]): Promise<Candidate[]> {
    if (candidates.length <= maxPools) return candidates;
    const isKept = ({ address }: Candidate) => watched.has(address) || configured.includes(address);
    const kept = candidates.filter(isKept);
    const others = candidates.filter((candidate) => !isKept(candidate));
    const room = Math.max(0, maxPools - kept.length);
    if (room === 0) return kept;
    const readings = await live.refresh([...new Set(others.flatMap(accountsOf))]);
    const opened = others.flatMap((candidate) => {
      const state = openPool(candidate, readings);
      return typeof state === 'string' ? [] : [{ ...candidate, state }];
    });
    if (others.length !== leftOut) log.warn({ found: candidates.length, maxPools }, 'more pools than are watched');
    leftOut = others.length;
    return [...kept, ...deepestPools(opened, room)];
  }

  async function updateNow(): Promise<void> {
    skipped.keep(watched);
    const candidates = await capped(await finder.candidates());
    await readMints(candidates.flatMap((candidate) => candidate.mints));
    const wanted = new Map(candidates.filter(isSupported).map((candidate) => [candidate.address, candidate]));
    const gone = [...watched.values()].filter(({ address, mints: pair }) => {
      const other = wanted.get(address)?.mints;
      return !other || pair.some((mint, side) => mint !== other[side]);
    });
    const fresh = [...wanted.values()].filter((candidate) => {
      const known = watched.get(candidate.address);
      return !known || gone.includes(known);
    });
    const added = [...new Set(fresh.flatMap(accountsOf))];
    live.watch(added);
    await live.refresh(added);
    for (const pool of gone) {
      watched.delete(pool.address);
      unlink(pool);
    }
    for (const candidate of fresh) {
      const pool = watchPool(candidate, { live, skipped });
      watched.set(pool.address, pool);
      link(pool);
      if (pool.changed(pool.address)) move(pool);
    }
    live.unwatch(gone.flatMap((pool) => pool.accounts).filter((account) => !poolsOf.has(account)));
    // Also where no pool came or went: the order of the ways changes with the trades.
    market = createMarket([...watched.values()]);
    if (fresh.length > 0 || gone.length > 0)
      log.info({ pools: watched.size, added: fresh.length, dropped: gone.length }, 'pools to route over');
  }

  /** Takes over what has been found, once more where more is found meanwhile. */
  function update(): Promise<void> {
    isOutdated = true;
    updating ??= (async () => {
      while (isOutdated) {
        isOutdated = false;
        await updateNow();
      }
    })()
      .catch((error) => log.warn({ err: error }, 'pools could not be found; trying again'))
      .finally(() => {
        updating = undefined;
      });
    return updating;
  }

  function discover(): Promise<void> {
    discovering ??= finder
      .scan()
      .then(update)
      .finally(() => {
        discovering = undefined;
      });
    return discovering;
  }

  const timer = setInterval(() => void discover(), deps.byMint ? BY_MINT_MS : DISCOVERY_MS).unref();
  return {
    asked: finder.asked,
    market: () => market,
    discover,
    async mint(address) {
      await readMints([address]);
      return mints.get(address);
    },
    knownMint: (address) => mints.get(address),
    skipped: skipped.counts,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Its own account, and the others. */
const accountsOf = ({ address, accounts }: Candidate): Address[] => [address, ...accounts];
