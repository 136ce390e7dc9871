import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.js';
import {
  LOOKUP_TABLES_CHANNEL,
  markTablesUsed,
  storedTables,
  storeTableWishes,
  type TableWish,
} from '../../store/lookup-tables.js';
import type { Store } from '../../store/sql.js';

/** The lookup tables that the keepers make for all instances. Never throws: without it, those known stay in use. */
export interface TableBook {
  /** The tables to use; undefined if they cannot be read. */
  load(): Promise<Address[] | undefined>;
  /** Calls when there may be others; resolves with a function that stops that. */
  onChange(listener: () => void): Promise<() => Promise<void>>;
  /** Tells the keepers what tables should hold, and which ones transactions were built with. */
  tell(wishes: readonly Omit<TableWish, 'askedAt'>[], used: readonly Address[]): Promise<void>;
  /** Whether a keeper may have money for wishes. */
  readonly takesWishes: boolean;
}

const KEEP_MS = 60 * 60_000;

export function createTableBook(deps: { store: Store; clock: Clock; log: Logger; takesWishes: boolean }): TableBook {
  const { store, clock, log, takesWishes } = deps;
  const failed = (error: Error) => void log.warn({ reason: error.message }, 'the lookup tables cannot be looked up');
  return {
    takesWishes,
    async load() {
      const all = await storedTables(store).catch(failed);
      return all?.filter(({ state }) => state === 'ready').map(({ address }) => address as Address);
    },
    onChange: (listener) => store.listen(LOOKUP_TABLES_CHANNEL, listener),
    async tell(wishes, used) {
      if (wishes.length === 0 && used.length === 0) return;
      const now = clock.now();
      const askedAt = new Date(now);
      const rows = wishes.map((wish) => ({ ...wish, askedAt }));
      await store
        .transaction(async (tx) => {
          if (used.length > 0) await markTablesUsed(tx, used, askedAt);
          if (rows.length > 0) await storeTableWishes(tx, rows, new Date(now - KEEP_MS));
        })
        .catch(failed);
    },
  };
}
