import { type Address, isAddress } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { LiveAccount, LiveAccounts, Rpc } from '../../chain/index.js';
import { deepestPools } from './deepest.js';
import { createMarket, type Market, type Pool } from './market.js';
import { type MintFacts, readMint } from './mints.js';
import type { PoolState, Venue } from './venue.js';

const DISCOVERY_MS = 30_000;
const MAX_MINTS = 50_000;

export interface PoolsDeps {
  rpc: Rpc;
  live: LiveAccounts;
  venues: readonly Venue[];
  /** Pools to watch whether they are found or not. */
  configured: readonly Address[];
  /** Most pools that are watched; configured ones come first. */
  maxPools: number;
  log: Logger;
}

/** The pools that can be traded with, found again from time to time. */
export interface Pools {
  market(): Market;
  /** Finds pools now; what cannot be found because the chain gives no answer stays as it was. */
  discover(): Promise<void>;
  /** Undefined for no mint. Kept: what matters of a mint never changes. @throws ChainUnavailable */
  mint(address: Address): Promise<MintFacts | undefined>;
  /** Of a mint that was read before. */
  knownMint(address: Address): MintFacts | undefined;
  close(): void;
}

interface Candidate {
  address: Address;
  venue: Venue;
  mints: readonly [Address, Address];
  accounts: Address[];
}

export function createPools(deps: PoolsDeps): Pools {
  const { live, log, maxPools, configured } = deps;
  const mints = new LRUCache<Address, MintFacts>({ max: MAX_MINTS });
  const watched = new Map<Address, WatchedPool>();
  const poolsOf = new Map<Address, WatchedPool[]>();
  const find = createFinder(deps);
  let market = createMarket([]);
  let leftOut = 0;
  let discovering: Promise<void> | undefined;

  live.onChange((address) => {
    for (const pool of poolsOf.get(address) ?? []) pool.changed();
  });

  async function readMints(addresses: readonly Address[]): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => !mints.has(address));
    if (unknown.length === 0) return;
    for (const [address, { account }] of await live.refresh(unknown)) {
      const facts = readMint(account);
      if (facts) mints.set(address, facts);
    }
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
    const readings = await live.refresh([...new Set(others.flatMap(({ accounts }) => accounts))]);
    const opened = others.flatMap((candidate) => {
      const [own, ...rest] = candidate.accounts.map((account) => readings.get(account)!);
      const state = openPool(candidate, own!, rest);
      return typeof state === 'string' ? [] : [{ ...candidate, state }];
    });
    if (others.length !== leftOut) log.warn({ found: candidates.length, maxPools }, 'more pools than are watched');
    leftOut = others.length;
    return [...kept, ...deepestPools(opened, room)];
  }

  async function discoverNow(): Promise<void> {
    const candidates = await capped(await find());
    await readMints(candidates.flatMap((candidate) => candidate.mints));
    const wanted = new Map(candidates.filter((candidate) => isSupported(candidate, mints)).map((c) => [keyOf(c), c]));
    const gone = [...watched.values()].filter((pool) => !wanted.has(keyOf(pool)));
    for (const pool of gone) watched.delete(pool.address);
    const fresh = [...wanted.values()].filter(({ address }) => !watched.has(address));
    const added = fresh.flatMap(({ accounts }) => accounts);
    live.watch(added);
    await live.refresh([...new Set(added)]);
    for (const candidate of fresh) watched.set(candidate.address, watchPool(candidate, live, log));

    poolsOf.clear();
    for (const pool of watched.values()) {
      for (const account of pool.accounts) poolsOf.set(account, [...(poolsOf.get(account) ?? []), pool]);
    }
    live.unwatch(gone.flatMap((pool) => pool.accounts).filter((account) => !poolsOf.has(account)));
    // Also where no pool came or went: the order of the ways changes with the trades.
    market = createMarket([...watched.values()]);
    if (fresh.length > 0 || gone.length > 0)
      log.info({ pools: watched.size, added: fresh.length, dropped: gone.length }, 'pools to route over');
  }

  function discover(): Promise<void> {
    discovering ??= discoverNow()
      .catch((error) => log.warn({ err: error }, 'pools could not be found; trying again'))
      .finally(() => {
        discovering = undefined;
      });
    return discovering;
  }

  const timer = setInterval(() => void discover(), DISCOVERY_MS).unref();
  return {
    market: () => market,
    discover,
    async mint(address) {
      await readMints([address]);
      return mints.get(address);
    },
    knownMint: (address) => mints.get(address),
    close: () => clearInterval(timer),
  };
}

function isSupported({ mints: pair }: Candidate, mints: LRUCache<Address, MintFacts>): boolean {
  return pair.every((mint) => {
    const facts = mints.get(mint);
    return facts !== undefined && facts.unsupported === undefined;
  });
}

/** A pool whose accounts are other ones than before is another pool. */
const keyOf = ({ accounts }: { accounts: readonly Address[] }) => accounts.join(' ');

// ---- finding --------------------------------------------------------------------------------------------------------

interface RpcProgramAccount {
  pubkey: string;
  account: { owner: string; data: [string, 'base64'] };
}

/** Finds all pools: of each venue those that the RPC lists, and the configured ones. */
function createFinder({ rpc, live, venues, configured, log }: PoolsDeps): () => Promise<Candidate[]> {
  const lists = new Map<Venue, Candidate[]>();
  const refusals = new Set<Venue>();

  async function list(venue: Venue): Promise<Candidate[]> {
    const params = [
      venue.program,
      { encoding: 'base64', commitment: 'confirmed', filters: [{ dataSize: venue.poolSize }] },
    ];
    try {
      const found = await rpc.call<RpcProgramAccount[]>('getProgramAccounts', params);
      const candidates = found.flatMap(({ pubkey, account }) =>
        isAddress(pubkey) ? candidateOf(pubkey, account.owner, Buffer.from(account.data[0], 'base64'), [venue]) : [],
      );
      lists.set(venue, candidates);
      refusals.delete(venue);
    } catch (error) {
      if (!refusals.has(venue))
        log.warn({ err: error, venue: venue.label }, 'the RPC does not list the pools; the configured ones are used');
      refusals.add(venue);
    }
    return lists.get(venue) ?? [];
  }

  return async () => {
    const listed = (await Promise.all(venues.map(list))).flat();
    const known = new Set(listed.map(({ address }) => address));
    const missing = configured.filter((address) => !known.has(address));
    const readings = missing.length > 0 ? await live.refresh(missing) : new Map();
    for (const [address, { account }] of readings) {
      if (account) listed.push(...candidateOf(address, account.owner, account.data, venues));
    }
    return listed;
  };
}

function candidateOf(address: Address, owner: string, data: Uint8Array, venues: readonly Venue[]): Candidate[] {
  const venue = venues.find(({ program }) => program === owner);
  const described = venue?.describe(data);
  return venue && described
    ? [{ address, venue, mints: described.mints, accounts: [address, ...described.accounts] }]
    : [];
}

// ---- watching -------------------------------------------------------------------------------------------------------

interface WatchedPool extends Pool {
  changed(): void;
}

/** A pool whose state is read again when the bytes of one of its accounts have changed. */
function watchPool({ address, venue, mints, accounts }: Candidate, live: LiveAccounts, log: Logger): WatchedPool {
  const entries = accounts.map((account) => live.get(account)!);
  let opened: { state: PoolState | undefined } | undefined;

  function open(): PoolState | undefined {
    const [own, ...others] = entries as [LiveAccount, ...LiveAccount[]];
    const result = openPool({ address, venue, accounts }, own, others);
    if (typeof result !== 'string') return result;
    log.debug({ pool: address, reason: result }, 'a pool that cannot be traded with');
    return undefined;
  }

  return {
    ...{ address, venue, mints, accounts },
    changed() {
      opened = undefined;
    },
    state(now) {
      for (const entry of entries) if (!live.isFresh(entry, now)) return undefined;
      opened ??= { state: open() };
      return opened.state;
    },
  };
}

/** The pool that these accounts make; or why it is none any more. */
export function openPool(
  { address, venue, accounts }: Pick<Pool, 'address' | 'venue' | 'accounts'>,
  own: Pick<LiveAccount, 'account'>,
  others: readonly Pick<LiveAccount, 'account'>[],
): PoolState | string {
  if (own.account?.owner !== venue.program) return 'its account is gone';
  const described = venue.describe(own.account.data);
  if (!described || described.accounts.some((account, i) => account !== accounts[i + 1])) {
    return 'its account says something else than before';
  }
  return venue.open(
    address,
    own.account,
    others.map(({ account }) => account),
  );
}
