import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import { startHermes } from './hermes.js';
import type { PriceFeed, PriceQuote, Prices } from './price.js';
import type { SandboxPrices } from './sandbox.js';

/** A price outside these bounds is taken for a mistake of its source. */
const LEAST_USD = 1e-15;
const MOST_USD = 1e15;

interface PriceDeps {
  settings: Config['prices'];
  /** The stored prices of a sandbox: what the sources `fixed` and `simulated` read. */
  stored: SandboxPrices | undefined;
  /** USD for one whole token by the pools; undefined if there is no pool. */
  poolPrice: ((mint: Address) => number | undefined) | undefined;
  clock: Clock;
  log: Logger;
}

/** Opens the configured sources; resolves when each has been asked once. */
export async function openPrices({ settings, stored, poolPrice, clock, log }: PriceDeps): Promise<Prices> {
  const feeds: PriceFeed[] = [];
  const closing: (() => Promise<void>)[] = [];
  for (const source of settings.sources) {
    if (source === 'hermes') {
      const hermes = await startHermes({ ...settings, url: settings.hermesUrl, key: settings.hermesKey, clock, log });
      feeds.push(hermes);
      closing.push(() => hermes.close());
    } else if (source === 'pools') {
      if (poolPrice) feeds.push(poolFeed(poolPrice, clock));
    } else if (stored) feeds.push({ source, read: stored.read });
  }
  const close = async () => {
    await Promise.all(closing.map((end) => end()));
  };
  return { ...combine(feeds), close };
}

function poolFeed(poolPrice: (mint: Address) => number | undefined, clock: Clock): PriceFeed {
  return {
    source: 'pools',
    read(mint) {
      const usd = poolPrice(mint);
      return usd === undefined ? undefined : { usd, confidence: 0, publishedAt: clock.now(), stale: false };
    },
  };
}

function combine(feeds: PriceFeed[]): Pick<Prices, 'quote' | 'usd'> {
  const quote = (mint: Address): PriceQuote | undefined => {
    let old: PriceQuote | undefined;
    for (const feed of feeds) {
      const { source } = feed;
      const price = feed.read(mint);
      // NaN fails every comparison.
      if (!price || !(price.usd >= LEAST_USD && price.usd <= MOST_USD)) continue;
      if (!price.stale) return { ...price, source };
      old ??= { ...price, source };
    }
    return old;
  };
  return {
    quote,
    usd(mint) {
      const price = quote(mint);
      return price?.stale === false ? price.usd : undefined;
    },
  };
}
