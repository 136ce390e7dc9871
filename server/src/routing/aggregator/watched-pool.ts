import { type Address, CLOCK_SYSVAR } from '@slipway/wire';
import type { ChainAccount, LiveAccount, LiveAccounts } from '../../chain/index.js';
import type { Candidate } from './finder.js';
import type { Pool } from './legs.js';
import type { SkippedPools } from './skipped-pools.js';
import type { PoolAccounts, PoolState } from './venue.js';

export interface WatchedPool extends Pool {
  /** Tell it that one of its accounts has new bytes. Returns whether its own account now names other accounts. */
  changed(account: Address): boolean;
  /** Reads from these accounts from now on; they must be watched already. */
  follow(accounts: readonly Address[]): void;
  /** The accounts that it consists of by what its own account says now; undefined if it is not a pool. */
  named(): readonly Address[] | undefined;
  /**
   * Leaves it out for this reason until this steady time; meanwhile `onChange` is called when one of its accounts has
   * changed, the clock apart. Anybody can change an account, by a unit that is sent to a vault, so that alone does not
   * bring it back.
   */
  setAside(until: number, reason: string, onChange: () => void): void;
  /** Brings it back. */
  readmit(): void;
  /** Its state by the bytes that were read last, also while they are stale, or it is set aside. */
  lastState(): PoolState | undefined;
  /** Its state, also while it is set aside. */
  stateForTrial(now: number): PoolState | undefined;
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
  /** A string says why it cannot be traded with. */
  let opened: PoolState | string | undefined;
  let aside: { until: number; reason: string; onChange: () => void } | undefined;

  function follow(wanted: readonly Address[]): void {
    accounts = wanted;
    entries = wanted.map((account) => live.get(account)!);
    readings = new Map(entries.map((entry) => [entry.address, entry]));
    opened = undefined;
  }

  function open(): PoolState | string {
    const result = openPool({ address, venue, mints }, readings);
    if (typeof result === 'string') skipped.note(address, venue, result);
    else skipped.forget(address);
    return result;
  }

  function isFresh(now: number): boolean {
    for (const entry of entries) if (!live.isFresh(entry, now)) return false;
    return true;
  }

  /** Undefined if the bytes are stale. */
  function current(now: number): PoolState | string | undefined {
    if (!isFresh(now)) return undefined;
    if (aside && now < aside.until) return aside.reason;
    if (aside) opened = aside = undefined;
    opened ??= open();
    return opened;
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
      if (account !== CLOCK_SYSVAR) aside?.onChange();
      return account === address && !isSame(named() ?? accounts, accounts);
    },
    state(now) {
      const found = current(now);
      return typeof found === 'string' ? undefined : found;
    },
    refusal(now) {
      const found = current(now);
      return typeof found === 'string' ? found : undefined;
    },
    setAside(until, reason, onChange) {
      aside = { until, reason, onChange };
      skipped.note(address, venue, reason);
    },
    readmit() {
      opened = aside = undefined;
    },
    lastState() {
      // What is set aside stays counted as that.
      if (!aside) opened ??= open();
      const found = opened ?? openPool({ address, venue, mints }, readings);
      return typeof found === 'string' ? undefined : found;
    },
    stateForTrial(now) {
      return isFresh(now) ? this.lastState() : undefined;
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
