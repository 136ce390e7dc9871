import { type Address, isAddress } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { ChainAccount, LiveAccounts, Rpc } from '../../chain/index.js';
import type { SkippedPools } from './skipped-pools.js';
import type { PoolAccounts, Venue } from './venue.js';

const MAX_NEEDED = 50_000;

export interface Candidate extends PoolAccounts {
  address: Address;
  venue: Venue;
}

interface RpcProgramAccount {
  pubkey: string;
  account: { owner: string; data: [string, 'base64'] };
}

interface Found {
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
}

/** Finds all pools: of each venue those that the RPC lists, and the configured ones. */
export function createFinder({ rpc, live, venues, configured, skipped, log }: FinderDeps): () => Promise<Candidate[]> {
  const lists = new Map<Venue, Found[]>();
  const refusals = new Set<Venue>();
  /** They never change. */
  const needed = new LRUCache<Address, ChainAccount>({ max: MAX_NEEDED });

  async function list(venue: Venue): Promise<Found[]> {
    const params = [
      venue.program,
      { encoding: 'base64', commitment: 'confirmed', filters: [{ dataSize: venue.poolSize }] },
    ];
    try {
      const found = await rpc.call<RpcProgramAccount[]>('getProgramAccounts', params);
      lists.set(
        venue,
        found.flatMap(({ pubkey, account: { owner, data } }) => {
          if (!isAddress(pubkey) || owner !== venue.program) return [];
          const bytes = Buffer.from(data[0], 'base64');
          return [
            { address: pubkey, venue, account: { owner: venue.program, data: bytes, lamports: 0n, executable: false } },
          ];
        }),
      );
      refusals.delete(venue);
    } catch (error) {
      if (!refusals.has(venue))
        log.warn({ err: error, venue: venue.label }, 'the RPC does not list the pools; the configured ones are used');
      refusals.add(venue);
    }
    return lists.get(venue) ?? [];
  }

  async function readConfigured(known: ReadonlySet<Address>): Promise<Found[]> {
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

  return async () => {
    const listed = (await Promise.all(venues.map(list))).flat();
    const others = await readConfigured(new Set(listed.map(({ address }) => address)));
    return describe([...listed, ...others]);
  };
}
