import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { PoolQuote } from './pool-quotes.js';

/** How long a pool that has gone silent is waited for: for good, one that is dead would end all stops of its token. */
const WAITED_FOR_MS = 5 * 60_000;
/** From this share of the known depth of a token on, what is silent matters: a pool with less stops nothing by going silent. */
const REAL_SHARE = 1 / 4;
const MAX_MINTS = 10_000;

interface Heard {
  depthUsd: number;
  /** When it was heard last, in steady milliseconds. */
  at: number;
}

/**
 * How deep the pools were when they were heard last. Anybody may make a pool of others silent for moments, and what is
 * left would then be believed: a smaller pool of his own.
 */
export class SilentPools {
  readonly #heard = new LRUCache<Address, ReadonlyMap<string, Heard>>({ max: MAX_MINTS });

  /** Whether so much of the depth has gone silent that what the others say is no price. */
  hides(mint: Address, quotes: readonly PoolQuote[], silent: readonly Address[], now: number): boolean {
    const before = this.#heard.get(mint);
    const known = new Map<string, Heard>();
    const depth = { heard: 0, silent: 0 };
    for (const pool of silent) {
      const heard = before?.get(pool);
      if (!heard || now - heard.at > WAITED_FOR_MS) continue;
      known.set(pool, heard);
      depth.silent += heard.depthUsd;
    }
    for (const { pool, anchor, depthUsd: ownUsd } of quotes) {
      // Each by itself: whoever makes more pools over the same anchor for a moment must not take from what this one counts for.
      const depthUsd = Math.min(ownUsd, anchor?.depthUsd ?? ownUsd);
      known.set(pool, { depthUsd, at: now });
      depth.heard += depthUsd;
    }
    if (known.size > 0) this.#heard.set(mint, known);
    else this.#heard.delete(mint);
    return depth.silent > 0 && depth.silent >= REAL_SHARE * (depth.heard + depth.silent);
  }
}
