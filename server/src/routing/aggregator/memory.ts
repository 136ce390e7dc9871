import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.js';
import { routedMints, storeRoutedMints } from '../../store/routed-mints.js';
import type { Store } from '../../store/sql.js';

/** What routes were asked for, with the pools that were found for it. */
export interface Remembered {
  /** One mint, or two hubs. */
  mints: readonly [Address] | readonly [Address, Address];
  pools: readonly Address[];
}

/** Remembers, beyond this process, what routes are asked for. Never throws: without it, pools are searched for again. */
export interface Memory {
  /** The latest first, at most `most`. */
  load(most: number): Promise<Remembered[]>;
  /** `agoMs`: how long ago it was last asked for. */
  save(asked: readonly (Remembered & { agoMs: number })[]): Promise<void>;
}

const KEEP_MS = 7 * 24 * 60 * 60_000;

/** A memory that all instances share. */
export function createMemory({ store, clock, log }: { store: Store; clock: Clock; log: Logger }): Memory {
  const failed = (error: Error) =>
    log.warn({ reason: error.message }, 'the pools of the mints in use cannot be remembered');
  return {
    async load(most) {
      try {
        const rows = await routedMints(store, new Date(clock.now() - KEEP_MS), most);
        return rows.map(({ mints, pools }) => ({
          mints: mints.split(' ') as unknown as Remembered['mints'],
          pools: pools as Address[],
        }));
      } catch (error) {
        failed(error as Error);
        return [];
      }
    },
    async save(asked) {
      if (asked.length === 0) return;
      const now = clock.now();
      const rows = asked.map(({ mints, pools, agoMs }) => ({
        mints: mints.join(' '),
        pools: [...pools],
        askedAt: new Date(now - agoMs),
      }));
      await store.single((tx) => storeRoutedMints(tx, rows, new Date(now - KEEP_MS))).catch(failed);
    },
  };
}
