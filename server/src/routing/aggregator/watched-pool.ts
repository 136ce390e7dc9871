import type { Address } from '@slipway/wire';
import type { ChainAccount, LiveAccount, LiveAccounts } from '../../chain/index.js';
import type { Candidate } from './finder.js';
import type { Pool } from './market.js';
import type { SkippedPools } from './skipped-pools.js';
import type { PoolAccounts, PoolState } from './venue.js';

export interface WatchedPool extends Pool {
  /** Tell it that one of its accounts has new bytes. Returns whether its own account now names other accounts. */
  changed(account: Address): boolean;
  /** Reads from these accounts from now on; they must be watched already. */
  follow(accounts: readonly Address[]): void;
  /** The accounts that it consists of by what its own account says now; undefined if it is not a pool. */
  named(): readonly Address[] | undefined;
}

export interface WatchedPoolDeps {
  live: LiveAccounts;
  skipped: SkippedPools;
}

type Readings = ReadonlyMap<Address, { account: ChainAccount | undefined }>;

/** A pool whose state is read again when one of its accounts has changed. Its accounts must be watched already. */
export function watchPool(candidate: Candidate, { live, skipped }: WatchedPoolDeps): WatchedPool {
  const { address, venue, mints } = candidate;
  let entries: LiveAccount[] = [];
  let readings = new Map<Address, LiveAccount>();
  let accounts: readonly Address[] = [];
  let opened: { state: PoolState | undefined } | undefined;

  function follow(wanted: readonly Address[]): void {
    accounts = wanted;
    entries = wanted.map((account) => live.get(account)!);
    readings = new Map(entries.map((entry) => [entry.address, entry]));
    opened = undefined;
  }

  function open(): PoolState | undefined {
    const result = openPool({ address, venue, mints }, readings);
    if (typeof result === 'string') {
      skipped.note(address, venue, result);
      return undefined;
    }
    skipped.forget(address);
    return result;
  }

  function named(): readonly Address[] | undefined {
    const described = describePool({ address, venue, mints }, readings);
    return typeof described === 'string' ? undefined : [address, ...described.accounts];
  }

  follow([address, ...candidate.accounts]);
  return {
    address,
    venue,
    mints,
    follow,
    named,
    get accounts() {
      return accounts;
    },
    changed(account) {
      opened = undefined;
      return account === address && !isSame(named() ?? accounts, accounts);
    },
    state(now) {
      for (const entry of entries) if (!live.isFresh(entry, now)) return undefined;
      opened ??= { state: open() };
      return opened.state;
    },
  };
}

const isSame = (a: readonly Address[], b: readonly Address[]) => a.length === b.length && a.every((x, i) => x === b[i]);

/** Opens the pool from these accounts, or says why it no longer is one. */
export function openPool(pool: Pick<Pool, 'address' | 'venue' | 'mints'>, readings: Readings): PoolState | string {
  const described = describePool(pool, readings);
  if (typeof described === 'string') return described;
  const others: (ChainAccount | undefined)[] = [];
  for (const address of described.accounts) {
    const reading = readings.get(address);
    if (!reading) return 'it is made of other accounts than before';
    others.push(reading.account);
  }
  return pool.venue.open(pool.address, readings.get(pool.address)!.account!, others);
}

function describePool(
  { address, venue, mints }: Pick<Pool, 'address' | 'venue' | 'mints'>,
  readings: Readings,
): PoolAccounts | string {
  const own = readings.get(address)?.account;
  if (own?.owner !== venue.program) return 'its account is gone';
  const needed = { get: (needs: Address) => readings.get(needs)?.account };
  const described = venue.describe(address, own, needed);
  if (typeof described === 'string') return described;
  if ('needs' in described) return 'an account that it names is missing';
  if (described.mints[0] !== mints[0] || described.mints[1] !== mints[1])
    return 'its tokens are other ones than before';
  return described;
}
