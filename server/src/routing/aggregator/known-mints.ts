import type { Address } from '@slipway/wire';
import type { LiveAccounts } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { type PoolMint, readMint } from './mints.js';

const MAX_MINTS = 50_000;

/** Caches mints: what we need of a mint never changes, unless somebody may reopen it. */
export class KnownMints {
  readonly #live: LiveAccounts;
  readonly #mints = new GrowingCache<Address, PoolMint>(MAX_MINTS);

  constructor(live: LiveAccounts) {
    this.#live = live;
  }

  /** Reads the mints that are not cached yet. @throws ChainUnavailable */
  async read(addresses: readonly Address[]): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => !this.#mints.has(address));
    if (unknown.length === 0) return;
    for (const [address, { account }] of await this.#live.refresh(unknown)) {
      const facts = readMint(account);
      if (facts) this.#mints.set(address, facts);
    }
  }

  /** Undefined if the address is not a mint, or has not been read. */
  get(address: Address): PoolMint | undefined {
    return this.#mints.get(address);
  }
}
