import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import { type PoolQuote, type PoolSpot, spotOf } from './pool-quotes.js';

/** What one pool says of a token; price and depth in whole tokens of the one that it is priced in. */
export interface PoolWord {
  pool: Address;
  in: Address;
  price: number;
  depth: number;
  isSilent?: boolean;
}

/** What the tokens that others are priced in are worth in USD; undefined where nobody knows. */
type Worth = ReadonlyMap<Address, PoolSpot | undefined>;

interface Made {
  words: readonly PoolWord[];
  worth: Worth;
  quotes: readonly PoolQuote[];
  /** The pools that say nothing, or nothing that anybody knows the worth of. */
  silent: readonly Address[];
  spot: PoolSpot | undefined;
}

/** The words kept, of all tokens: more than pools are watched, each of which speaks of one token. */
const MOST_WORDS = 50_000;

/**
 * Prices by what pools say. A price is made anew only where one of its pools or what these are priced in says something
 * else than before, by whomever it is asked for: anybody asks for that of a token with hundreds of pools many times a second.
 */
export class PoolSpots {
  readonly #rules: Parameters<typeof spotOf>[1];
  readonly #made = new LRUCache<Address, Made>({
    maxSize: MOST_WORDS,
    sizeCalculation: ({ words }) => words.length,
  });

  constructor(rules: Parameters<typeof spotOf>[1]) {
    this.#rules = rules;
  }

  of(mint: Address, words: readonly PoolWord[], worth: Worth): Made {
    const known = this.#made.get(mint);
    if (known && isSameWorth(known.worth, worth) && isSameWords(known.words, words)) return known;
    const made = this.#make(words, worth);
    // Anybody names any number of tokens that have no pool: these push out none that has.
    if (words.length > 0) this.#made.set(mint, made);
    else this.#made.delete(mint);
    return made;
  }

  #make(words: readonly PoolWord[], worth: Worth): Made {
    const quotes: PoolQuote[] = [];
    const silent: Address[] = [];
    for (const word of words) {
      const anchor = worth.get(word.in);
      if (anchor && !word.isSilent) quotes.push(quoteOf(word, anchor));
      else silent.push(word.pool);
    }
    return { words, worth, quotes, silent, spot: spotOf(quotes, this.#rules) };
  }
}

function quoteOf({ pool, in: mint, price, depth }: PoolWord, anchor: PoolSpot): PoolQuote {
  const { usd, lowUsd, highUsd, depthUsd } = anchor;
  return {
    pool,
    usd: price * usd,
    lowUsd: price * lowUsd,
    highUsd: price * highUsd,
    depthUsd: depth * usd,
    anchor: depthUsd === Number.POSITIVE_INFINITY ? undefined : { mint, depthUsd },
  };
}

const isSameWords = (before: readonly PoolWord[], now: readonly PoolWord[]) =>
  before.length === now.length && before.every((word, i) => isSameWord(word, now[i]!));

const isSameWord = (a: PoolWord, b: PoolWord) =>
  a === b ||
  (a.pool === b.pool && a.in === b.in && a.price === b.price && a.depth === b.depth && a.isSilent === b.isSilent);

const isSameWorth = (before: Worth, now: Worth) =>
  before.size === now.size && [...now].every(([mint, spot]) => before.has(mint) && isSameSpot(before.get(mint), spot));

const isSameSpot = (a: PoolSpot | undefined, b: PoolSpot | undefined) =>
  a && b ? a.usd === b.usd && a.lowUsd === b.lowUsd && a.highUsd === b.highUsd && a.depthUsd === b.depthUsd : a === b;
