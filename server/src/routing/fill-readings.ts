import type { Address } from '@slipway/wire';
import type { LiveAccounts, Reading } from '../chain/index.js';

/** Readings of one attempt; each is a call for every hundred accounts. Five tries without pools that fail take two each. */
const MOST_READINGS = 12;

/**
 * What is read from the chain for one attempt to fill an order, before what clients ask: each account once, however many amounts
 * are quoted. An attempt lasts for a few seconds.
 */
export class FillReadings {
  readonly #known = new Map<Address, Reading>();
  readonly #wait: <T>(something: Promise<T>) => Promise<T>;
  #left = MOST_READINGS;

  /** `wait` is given each reading to wait for, by whoever has to know when his own work rests. */
  constructor(wait: <T>(something: Promise<T>) => Promise<T> = (something) => something) {
    this.#wait = wait;
  }

  /** Each account as it was first read. @throws ChainUnavailable; Error where the attempt has read as often as it may */
  async read(
    live: Pick<LiveAccounts, 'refresh'>,
    addresses: readonly Address[],
  ): Promise<ReadonlyMap<Address, Reading>> {
    const missing = addresses.filter((address) => !this.#known.has(address));
    if (missing.length === 0) return this.#known;
    if (this.#left === 0) throw new Error('the attempt has read as often as it may');
    this.#left -= 1;
    const read = await this.#wait(live.refresh(missing, { first: true }));
    for (const [address, reading] of read) this.#known.set(address, reading);
    return this.#known;
  }
}
