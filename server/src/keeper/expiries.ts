import { GrowingCache } from '../lib/growing-cache.js';
import type { LedgerRow } from '../store/ledger.js';

/** Items of which it is remembered; those that others forgot begin with the usual price again. */
const MOST_ITEMS = 10_000;

/** How often in a row what a keeper has sent for an item has expired: the next bids more. Kept in memory only. */
export class Expiries {
  readonly #inARow = new GrowingCache<string, number>(MOST_ITEMS);

  of(id: string): number {
    return this.#inARow.get(id) ?? 0;
  }

  /** What was sent for the item has ended so. What was taken into a block, landed or failed, had bid enough. */
  ended(id: string, state: LedgerRow['state']): void {
    if (state === 'expired') this.#inARow.set(id, this.of(id) + 1);
    else this.#inARow.delete(id);
  }
}
