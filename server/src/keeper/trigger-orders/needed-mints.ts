import type { Address } from '@slipway/wire';

/**
 * The tokens that waiting orders need: those of the last two readings of all orders, since an order may be in flight
 * during one, and what was noted meanwhile and since.
 */
export class NeededMints {
  #all: Set<Address> = new Set();
  #lastRead: ReadonlySet<Address> = new Set();
  #noted = new Set<Address>();

  get all(): ReadonlySet<Address> {
    return this.#all;
  }

  note(mint: Address): void {
    this.#noted.add(mint);
    this.#all.add(mint);
  }

  /** Forgets what is no longer needed; the first of what was read stay first. */
  replaceBy(read: ReadonlySet<Address>): void {
    this.#all = new Set([...read, ...this.#lastRead, ...this.#noted]);
    this.#lastRead = new Set([...read, ...this.#noted]);
    this.#noted = new Set();
  }
}
