import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { ChainAccount, LiveAccounts, Rpc } from '../../chain/index.js';
import { createMintScans, type MintScans, scanVenue } from './mint-scans.js';
import type { SkippedPools } from './skipped-pools.js';
import type { PoolAccounts, Venue } from './venue.js';

const MAX_NEEDED = 50_000;

export interface Candidate extends PoolAccounts {
  address: Address;
  venue: Venue;
}

/** A pool's account as the RPC lists it. */
export interface Found {
  address: Address;
  venue: Venue;
  account: ChainAccount;
}

export interface FinderDeps {
  rpc: Rpc;
  live: LiveAccounts;
  venues: readonly Venue[];
  /** Pools to look at whether they are listed or not. */
  configured: readonly Address[];
  skipped: SkippedPools;
  log: Logger;
  steadyNow: () => number;
  /** Whether pools are found by the mints that are asked for, as on a chain with more pools than can be listed. */
  byMint: boolean;
  hubs: readonly Address[];
  /** For the number of scans that failed. */
  registry?: Registry;
  /** Pools of mints that were asked for the first time are known. */
  onFound(): void;
}

export interface Finder {
  asked: Pick<MintScans, 'ask' | 'askIfRoom' | 'isSearching'>;
  /** Looks for pools on the chain. */
  scan(): Promise<void>;
  /** What was found last, and the configured ones. */
  candidates(): Promise<Candidate[]>;
}

/**
 * Finds pools: of each venue all that the RPC lists, or, where it does not list all or `byMint`, those of the mints that
 * are asked for; and the configured ones.
 */
export function createFinder(deps: FinderDeps): Finder {
  const { rpc, live, venues, configured, skipped, log, byMint } = deps;
  const lists = new Map<Venue, Found[]>();
  const unlisted = new Set<Venue>();
  const failures = failureCounter(deps.registry);
  /** They were logged. */
  const failing = new Set<Venue>();
  const isByMint = (venue: Venue) => byMint || unlisted.has(venue);
  const asked = createMintScans({ ...deps, venues: () => venues.filter(isByMint), failed });
  /** They never change. */
  const needed = new LRUCache<Address, ChainAccount>({ max: MAX_NEEDED });

  function failed(venue: Venue, error: unknown): void {
    failures.inc({ venue: venue.label });
    if (failing.has(venue)) return;
    failing.add(venue);
    log.warn({ err: error, venue: venue.label }, 'the RPC does not list the pools of a mint; what is known is used');
  }

  async function listAll(venue: Venue): Promise<void> {
    try {
      lists.set(venue, await scanVenue(rpc, venue));
      unlisted.delete(venue);
    } catch (error) {
      failures.inc({ venue: venue.label });
      if (!unlisted.has(venue))
        log.warn({ err: error, venue: venue.label }, 'the RPC does not list all pools; they are found by mint');
      unlisted.add(venue);
    }
  }

  async function readConfigured(known: ReadonlyMap<Address, Found>): Promise<Found[]> {
    const missing = configured.filter((address) => !known.has(address));
    if (missing.length === 0) return [];
    return [...(await live.refresh(missing))].flatMap(([address, { account }]) => {
      const venue = venues.find(({ program }) => program === account?.owner);
      return account && venue ? [{ address, venue, account }] : [];
    });
  }

  /** Asks the venues, and again those whose pools say too little, with what they need. */
  async function describe(found: Found[]): Promise<Candidate[]> {
    const candidates: Candidate[] = [];
    const unclear = new Map<Address, Found[]>();
    const ask = (one: Found, isLast: boolean) => {
      const { address, venue, account } = one;
      const described = venue.describe(address, account, needed);
      if (typeof described === 'string') skipped.note(address, venue, described);
      else if (!('needs' in described)) candidates.push({ address, venue, ...described });
      else if (isLast) skipped.note(address, venue, 'an account that it names is missing');
      else unclear.set(described.needs, [...(unclear.get(described.needs) ?? []), one]);
    };
    for (const one of found) ask(one, false);
    if (unclear.size === 0) return candidates;
    for (const [address, { account }] of await live.refresh([...unclear.keys()])) {
      if (account) needed.set(address, account);
    }
    for (const one of [...unclear.values()].flat()) ask(one, true);
    return candidates;
  }

  return {
    asked,
    async scan() {
      if (!byMint) await Promise.all(venues.map(listAll));
      await asked.refresh();
    },
    async candidates() {
      const listed = [...[...lists.values()].flat(), ...asked.found()];
      const found = new Map(listed.map((one) => [one.address, one]));
      return describe([...found.values(), ...(await readConfigured(found))]);
    },
  };
}

function failureCounter(registry: Registry | undefined): Counter<'venue'> {
  return new Counter({
    name: 'slipway_pool_scans_failed_total',
    help: 'Questions for the pools of a venue that the RPC refused or did not answer.',
    labelNames: ['venue'],
    registers: registry ? [registry] : [],
  });
}
