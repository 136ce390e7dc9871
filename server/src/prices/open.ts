import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import { startHermes } from './hermes.js';
import { PoolPrices, type PoolSource } from './pool-prices.js';
import type { NoPrice, OrderPrice, PriceFeed, PriceQuote, Prices } from './price.js';
import type { SandboxPrices } from './sandbox.js';

/** A price outside these bounds is taken for a mistake of its source. */
const LEAST_USD = 1e-15;
const MOST_USD = 1e15;
/** Observations are looked for so many times as often as they are made. */
const LOOKS = 5;

interface PriceDeps {
  settings: Config['prices'];
  /** The stored prices of a sandbox: what the sources `fixed` and `simulated` read. */
  stored: SandboxPrices | undefined;
  /** USD for one whole token by the pools; undefined if there is no pool. */
  poolPrice: ((mint: Address) => number | undefined) | undefined;
  /** What prices of pools for orders are made from; without it, there are none. */
  pools?: {
    source: PoolSource;
    anchors: readonly Address[];
    steadyNow: () => number;
    /** See `PoolHistory`. */
    random?: () => number;
    /** Calls it from time to time until the returned function is called; by a timer of Node by default. */
    repeat?: (observe: () => void) => () => void;
  };
  clock: Clock;
  log: Logger;
}

/** Opens the configured sources; resolves when each has been asked once. */
export async function openPrices(deps: PriceDeps): Promise<Prices> {
  const { settings, stored, poolPrice, clock, log } = deps;
  const feeds: PriceFeed[] = [];
  const closing: (() => Promise<void>)[] = [];
  for (const source of settings.sources) {
    if (source === 'hermes') {
      const hermes = await startHermes({ ...settings, url: settings.hermesUrl, key: settings.hermesKey, clock, log });
      feeds.push(hermes);
      closing.push(() => hermes.close());
    } else if (source === 'pools') {
      if (poolPrice) feeds.push(poolFeed(poolPrice, clock));
    } else if (stored) {
      feeds.push({
        source,
        read: stored.read,
        covers: (mint) => stored.read(mint) !== undefined,
        onChange: stored.onChange,
      });
    }
  }
  const forOrders = openOrderPrices(deps, feeds);
  closing.push(async () => forOrders.close());
  const close = async () => {
    await Promise.all(closing.map((end) => end()));
  };
  return { ...combine(feeds), ...forOrders, close };
}

function poolFeed(poolPrice: (mint: Address) => number | undefined, clock: Clock): PriceFeed {
  return {
    source: 'pools',
    covers: () => true,
    read(mint) {
      const usd = poolPrice(mint);
      return usd === undefined ? undefined : { usd, confidence: 0, publishedAt: clock.now(), stale: false };
    },
  };
}

/** The first fresh price, or the first stale one. Pools never stand in for a source that covers the token. */
function firstOf(feeds: readonly PriceFeed[], mint: Address): PriceQuote | undefined {
  let old: PriceQuote | undefined;
  let isCovered = false;
  for (const feed of feeds) {
    const { source } = feed;
    if (source === 'pools' && isCovered) continue;
    isCovered ||= feed.covers(mint);
    const price = feed.read(mint);
    // NaN fails every comparison.
    if (!price || !(price.usd >= LEAST_USD && price.usd <= MOST_USD)) continue;
    if (!price.stale) return { ...price, source };
    old ??= { ...price, source };
  }
  return old;
}

function combine(feeds: readonly PriceFeed[]): Pick<Prices, 'quote' | 'usd' | 'onChange'> {
  return {
    quote: (mint) => firstOf(feeds, mint),
    usd(mint) {
      const price = firstOf(feeds, mint);
      return price?.stale === false ? price.usd : undefined;
    },
    onChange(listener) {
      const ends = feeds.map((feed) => feed.onChange?.(listener));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

/** Prices for orders. Pools are observed by a timer until it is closed. */
function openOrderPrices(
  { settings, pools, clock }: PriceDeps,
  feeds: readonly PriceFeed[],
): Pick<Prices, 'forOrders' | 'forNewOrder' | 'ask' | 'poolWitness' | 'pastWitness' | 'follow'> & { close(): void } {
  const others = feeds.filter(({ source }) => source !== 'pools');
  const ofFeeds = (mint: Address): OrderPrice | NoPrice | undefined => {
    const feed = others.find((each) => each.covers(mint));
    if (!feed) return undefined;
    const price = firstOf(others, mint);
    const { source } = price ?? feed;
    if (!price)
      return { none: 'uncertain', why: `the feed of ${mint} has no price to rely on; try again shortly`, source };
    const { stale, ...rest } = price;
    if (stale) return { none: 'stale', why: `the last price of ${mint} is too old; try again shortly`, source };
    return { ...rest, stale };
  };
  const feedUsd = (mint: Address) => {
    const price = ofFeeds(mint);
    return price && ('none' in price ? null : price.usd);
  };
  const rules = { ...settings.pools, everyMs: settings.pools.everySeconds * 1_000 };
  // What feeds say is compared with the pools also where these price nothing.
  const looked = pools && new PoolPrices({ ...pools, rules, feedUsd, clock });
  const observed = settings.sources.includes('pools') ? looked : undefined;
  const byTimer = (observe: () => void) => {
    const timer = setInterval(observe, rules.everyMs / LOOKS).unref();
    return () => clearInterval(timer);
  };
  const stop = looked && (pools?.repeat ?? byTimer)(() => looked.observe());
  const nobody = (mint: Address): NoPrice => ({
    none: 'missing',
    why: `no source has a price of ${mint}; choose a mint that has one`,
  });
  return {
    forOrders: (mint) => ofFeeds(mint) ?? observed?.settled(mint) ?? nobody(mint),
    forNewOrder: (mint) => ofFeeds(mint) ?? observed?.current(mint) ?? nobody(mint),
    ask(mint) {
      if (!ofFeeds(mint)) observed?.ask(mint);
    },
    poolWitness: (mint) => looked?.witness(mint),
    pastWitness: (mint) => looked?.pastWitness(mint),
    follow(mints) {
      pools?.source.keep(mints);
      looked?.follow(mints);
    },
    close: () => stop?.(),
  };
}
