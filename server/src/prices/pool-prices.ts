import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.js';
import { type HistoryRules, observationsOf, PoolHistory } from './pool-history.js';
import { agree, type PoolSpot } from './pool-quotes.js';
import { PoolSpots, type PoolWord } from './pool-spots.js';
import type { NoPrice, OrderPrice } from './price.js';
import { SilentPools } from './silent-pools.js';

/** What the pools of the chain say. */
export interface PoolSource {
  /**
   * What each pool says that trades a token for one of `inMints`; price and depth in whole tokens of that one. Silent are
   * those that cannot be read or traded with at the moment.
   */
  quotes(mint: Address, inMints: readonly Address[]): PoolWord[];
  /** Looks for the pools of a token that somebody asks for. */
  ask(mint: Address): void;
  /** Looks for the pools of exactly these tokens, whatever else is asked for. */
  keep(mints: readonly Address[]): void;
}

export interface PoolRules extends HistoryRules {
  leastDepthUsd: number;
  maxDisagreementBps: number;
}

interface PoolPricesDeps {
  source: PoolSource;
  rules: PoolRules;
  /**
   * Tokens that others are priced in. The first stands for a US dollar; each other one is priced in those before it
   * where it has no feed.
   */
  anchors: readonly Address[];
  /** The price by a feed; null where the feed has none to rely on, undefined where the token has no feed. */
  feedUsd: (mint: Address) => number | null | undefined;
  clock: Clock;
  steadyNow: () => number;
  /** See `PoolHistory`. */
  random?: (() => number) | undefined;
}

/** The most tokens that are observed because a client has asked for them, and for how long after that. */
const MOST_ASKED = 1_000;
const ASKED_MS = 10 * 60_000;
/** How long an anchor's price by its pools, of which there may be hundreds, is cached. */
const ANCHOR_MS = 250;

/** `hidden`: so much of the depth is silent that the rest is no price. */
type Spot = PoolSpot | 'hidden';

/**
 * Prices by pools that users' orders may use. Anchors are always observed, another token while it is followed, and for
 * a while after somebody has asked for its price. See docs/price-safety.md for what each rule is worth.
 */
export class PoolPrices {
  readonly #deps: PoolPricesDeps;
  #followed: ReadonlySet<Address> = new Set();
  readonly #histories = new Map<Address, PoolHistory>();
  /** When somebody asked for it last, in steady milliseconds. */
  readonly #asked = new LRUCache<Address, number>({
    max: MOST_ASKED,
    noDisposeOnSet: true,
    dispose: (_, mint) => this.#forget(mint),
  });
  readonly #spots: PoolSpots;
  readonly #silent = new SilentPools();
  readonly #anchors = new Map<Address, { spot: PoolSpot | undefined; at: number }>();

  constructor(deps: PoolPricesDeps) {
    this.#deps = deps;
    this.#spots = new PoolSpots(deps.rules);
  }

  /** Observes exactly these, beside what clients ask for. */
  follow(mints: readonly Address[]): void {
    const before = this.#followed;
    this.#followed = new Set(mints);
    for (const mint of before) if (!this.#asked.has(mint)) this.#forget(mint);
  }

  /** What the pools say at this moment, to be compared with a feed; undefined where they are not deep enough. */
  witness(mint: Address): number | undefined {
    const spot = this.#spot(mint);
    if (!spot || spot === 'hidden' || spot.depthUsd < this.#deps.rules.leastDepthUsd) return undefined;
    return spot.usd;
  }

  /**
   * The same in the middle of what was observed, which no push of a moment moves; undefined where that is too little. It is not
   * bounded as a price by pools is: beside a feed, the bound would only keep what it says from counting after a crash.
   */
  pastWitness(mint: Address): number | undefined {
    return this.#histories.get(mint)?.middle(this.#deps.steadyNow());
  }

  /** A price that has held as long as the rules ask for. */
  settled(mint: Address): OrderPrice | NoPrice {
    const spot = this.#look(mint);
    if ('none' in spot) return spot;
    const { steadyNow, rules, anchors } = this.#deps;
    if (mint === anchors[0]) return this.#priceOf(spot.usd);
    const history = this.#historyOf(mint);
    const usd = history.settled(steadyNow());
    if (usd !== undefined) return this.#priceOf(usd);
    const [all, missing] = [observationsOf(rules), history.missing(steadyNow())];
    const behindMs = history.behindMs();
    const seconds = Math.ceil((missing * rules.everyMs + behindMs) / 1_000);
    const seen =
      missing > 0 || behindMs === 0
        ? `the pools' price of ${mint} has been observed ${all - missing} of ${all} times`
        : `the pools' price of ${mint} has moved while it could not be observed`;
    return { none: 'unsettled', why: `${seen}; try again in ${seconds} seconds` };
  }

  /** Has the pools of a token looked for. */
  ask(mint: Address): void {
    this.#deps.source.ask(mint);
  }

  /** What the pools say at this moment, if they are deep enough and agree: anybody may have moved it a second ago. */
  current(mint: Address): OrderPrice | NoPrice {
    const spot = this.#look(mint);
    return 'none' in spot ? spot : this.#priceOf(spot.usd);
  }

  /** Observes every token whose next observation is due. */
  observe(): void {
    const since = this.#deps.steadyNow() - ASKED_MS;
    for (const [mint, at] of [...this.#asked.entries()]) if (at < since) this.#asked.delete(mint);
    const fed = (mint: Address) => this.#deps.feedUsd(mint) !== undefined;
    const anchors = this.#deps.anchors.filter((mint) => !fed(mint));
    for (const mint of new Set([...anchors, ...this.#followed, ...this.#asked.keys()])) {
      const now = this.#deps.steadyNow();
      const known = this.#histories.get(mint);
      if (known?.isDue(now) === false) continue;
      const spot = this.#check(mint);
      if ('none' in spot) known?.pass(now);
      else this.#historyOf(mint).add(spot.usd, now);
    }
  }

  #look(mint: Address): PoolSpot | NoPrice {
    const found = this.#check(mint);
    // Anybody names any number of tokens that have no price: these push out none that has.
    const isWorthIt = !('none' in found) || this.#asked.has(mint);
    if (isWorthIt && !this.#followed.has(mint)) this.#asked.set(mint, this.#deps.steadyNow());
    return found;
  }

  /** What is wrong with the pools at this moment, or their price. */
  #check(mint: Address): PoolSpot | NoPrice {
    const { leastDepthUsd, maxDisagreementBps } = this.#deps.rules;
    const spot = this.#spot(mint);
    if (!spot) {
      const nobody = `no source has a price of ${mint}, and no pool of it with a priced token is known yet`;
      return { none: 'missing', why: `${nobody}; try again shortly, or choose a mint that has one` };
    }
    if (spot === 'hidden') {
      const silent = `pools with much of the depth of ${mint} cannot be read or traded with`;
      return { none: 'unsettled', why: `${silent}; try again shortly` };
    }
    if (spot.depthUsd < leastDepthUsd) {
      const found = `the pools of ${mint} hold ${dollars(spot.depthUsd)} USD on their lesser side`;
      return { none: 'shallow', why: `${found}, and orders need ${dollars(leastDepthUsd)} USD` };
    }
    if (![spot.lowUsd, spot.highUsd].every((usd) => agree(spot.usd, usd, maxDisagreementBps))) {
      return { none: 'contradicting', why: `the pools of ${mint}, or of what it is priced in, contradict each other` };
    }
    return spot;
  }

  #spot(mint: Address): Spot | undefined {
    const { source, anchors, steadyNow } = this.#deps;
    if (mint === anchors[0]) return certain(1);
    const own = anchors.indexOf(mint);
    const inMints = own < 0 ? anchors : anchors.slice(0, own);
    const worth = new Map(inMints.map((anchor) => [anchor, this.#worthOf(anchor)]));
    const { quotes, silent, spot } = this.#spots.of(mint, source.quotes(mint, inMints), worth);
    return this.#silent.hides(mint, quotes, silent, steadyNow()) ? 'hidden' : spot;
  }

  #worthOf(anchor: Address): PoolSpot | undefined {
    const feed = this.#deps.feedUsd(anchor);
    if (feed === null) return undefined;
    if (anchor === this.#deps.anchors[0]) return certain(feed ?? 1);
    const spot = this.#spotOfAnchor(anchor);
    return feed === undefined ? spot : this.#contradicted(feed, spot);
  }

  /** A feed's price, and what deep pools say that contradict it: what was observed by that would count as soon as it had held. */
  #contradicted(feed: number, pools: PoolSpot | undefined): PoolSpot {
    const { leastDepthUsd, maxDisagreementBps } = this.#deps.rules;
    const isWitness = pools !== undefined && pools.depthUsd >= leastDepthUsd;
    if (!isWitness || agree(feed, pools.usd, maxDisagreementBps)) return certain(feed);
    return { ...certain(feed), lowUsd: Math.min(feed, pools.usd), highUsd: Math.max(feed, pools.usd) };
  }

  #spotOfAnchor(anchor: Address): PoolSpot | undefined {
    const now = this.#deps.steadyNow();
    const known = this.#anchors.get(anchor);
    if (known && now - known.at < ANCHOR_MS) return known.spot;
    const found = this.#spot(anchor);
    const spot = found === 'hidden' ? undefined : found;
    this.#anchors.set(anchor, { spot, at: now });
    return spot;
  }

  #historyOf(mint: Address): PoolHistory {
    const history = this.#histories.get(mint) ?? new PoolHistory(this.#deps.rules, this.#deps.random);
    this.#histories.set(mint, history);
    return history;
  }

  #forget(mint: Address): void {
    if (!this.#followed.has(mint)) this.#histories.delete(mint);
  }

  #priceOf(usd: number): OrderPrice {
    return { usd, confidence: 0, publishedAt: this.#deps.clock.now(), source: 'pools', stale: false };
  }
}

/** What no pool moves. */
const certain = (usd: number): PoolSpot => ({ usd, lowUsd: usd, highUsd: usd, depthUsd: Number.POSITIVE_INFINITY });

const dollars = (usd: number) => Math.floor(usd).toLocaleString('en-US');
