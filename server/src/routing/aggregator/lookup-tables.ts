import type { Address, Instruction, LookupTable } from '@slipway/wire';
import type { LiveAccount, LiveAccounts } from '../../chain/index.js';
import { settledTable } from '../settled-table.js';

/** How often tables are read that are about to settle. */
const READ_AGAIN_MS = 2_000;

export interface LookupTables {
  /** What transactions may use of the tables now; the same list until that changes. */
  current(): readonly LookupTable[];
  /**
   * Uses these tables from now on, beside the configured ones, once they are seen on the chain. Returns those that
   * nothing is known of yet.
   */
  use(addresses: readonly Address[]): Address[];
  close(): void;
}

/** Watches lookup tables. One that the chain does not have, or that has been deactivated, is not used. */
export function createLookupTables(live: LiveAccounts, configured: readonly Address[]): LookupTables {
  let watched = new Set(configured);
  let tables: LookupTable[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  live.watch(configured);
  live.onChange((address) => {
    if (watched.has(address)) tables = undefined;
  });

  function readAgain(addresses: readonly Address[]): void {
    if (isClosed) return;
    timer ??= setTimeout(async () => {
      await live.refresh(addresses).catch(() => {});
      timer = undefined;
      tables = undefined;
    }, READ_AGAIN_MS).unref();
  }

  return {
    current() {
      if (tables) return tables;
      const readings = [...watched].map((address) => ({ address, reading: readTable(live.get(address)) }));
      tables = readings.flatMap(({ address, reading }) =>
        reading && reading.addresses.length > 0 ? [{ address, addresses: reading.addresses }] : [],
      );
      const unsettled = readings.flatMap(({ address, reading }) => (reading?.isSettled === false ? [address] : []));
      if (unsettled.length > 0) readAgain(unsettled);
      return tables;
    },
    use(addresses) {
      const wanted = new Set([...configured, ...addresses]);
      const added = [...wanted].filter((address) => !watched.has(address));
      const dropped = [...watched].filter((address) => !wanted.has(address));
      if (added.length === 0 && dropped.length === 0) return added;
      live.watch(added);
      live.unwatch(dropped);
      watched = wanted;
      tables = undefined;
      return added;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const readTable = (known: LiveAccount | undefined) => known && settledTable(known.account, BigInt(known.slot));

/** A table costs a transaction 34 bytes, and each address that is taken from it saves 31. */
const LEAST_SAVED = 2;

type Index = ReadonlyMap<Address, readonly number[]>;
const INDEXES = new WeakMap<readonly LookupTable[], Index>();

/** The tables that make a transaction with this trade smaller, the most helpful first. */
export function tablesFor(trade: readonly Instruction[], tables: readonly LookupTable[]): LookupTable[] {
  const index = indexOf(tables);
  const called = new Set(trade.map(({ program }) => program));
  const open = new Map<Address, readonly number[]>();
  for (const { accounts } of trade) {
    for (const { address, signer } of accounts) {
      const holders = index.get(address);
      if (holders && !signer && !called.has(address)) open.set(address, holders);
    }
  }
  const chosen: LookupTable[] = [];
  for (;;) {
    const saved = new Map<number, number>();
    for (const holders of open.values()) for (const table of holders) saved.set(table, (saved.get(table) ?? 0) + 1);
    let [best, most] = [-1, LEAST_SAVED - 1];
    for (const [table, count] of saved) if (count > most) [best, most] = [table, count];
    if (best === -1) return chosen;
    chosen.push(tables[best]!);
    for (const [address, holders] of open) if (holders.includes(best)) open.delete(address);
  }
}

/** Which tables have an address, by their place in the list. */
export function indexOf(tables: readonly LookupTable[]): Index {
  const known = INDEXES.get(tables);
  if (known) return known;
  const index = new Map<Address, number[]>();
  for (const [table, { addresses }] of tables.entries()) {
    for (const address of new Set(addresses)) {
      const holders = index.get(address);
      if (holders) holders.push(table);
      else index.set(address, [table]);
    }
  }
  INDEXES.set(tables, index);
  return index;
}
