import type { Address } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import { coalesced } from '../lib/single-flight.js';
import { tell } from '../store/event-outbox.js';
import { listPrices, type StoredPrice, setPrice, stampPrices } from '../store/prices.js';
import type { Store } from '../store/sql.js';
import { createListeners } from './listeners.js';
import type { PriceFeed } from './price.js';

/** Notified to every instance when prices have been set; the payload is the mint, or empty. */
const PRICES_CHANNEL = 'prices';

/** Prices that stay until somebody sets them. They live in the store, and every instance is notified of a change. */
export interface SandboxPrices {
  /** Never stale: a price stays until another is set. */
  read: PriceFeed['read'];
  /** As soon as this instance answers with new ones. */
  onChange: NonNullable<PriceFeed['onChange']>;
  usd(mint: Address): number | undefined;
  /** Resolves when this instance answers with the new price. */
  set(mint: Address, usd: number): Promise<void>;
  /** Reads what other instances have set, without waiting for a notification. */
  reload(): Promise<void>;
  /** Gives all prices a new date, so that they are as fresh as before the clock jumped. */
  stamp(): Promise<void>;
  close(): Promise<void>;
}

/** `defaults` are written for mints that have no price yet. */
export async function createSandboxPrices(deps: {
  store: Store;
  clock: Clock;
  defaults: ReadonlyMap<Address, number>;
}): Promise<SandboxPrices> {
  const { store, clock } = deps;
  const prices = new Map<string, StoredPrice>();

  const listeners = createListeners();

  // One at a time: what one of two has read may be older than what the other one has, and arrive after it.
  const load = coalesced(async () => {
    for (const price of await listPrices(store)) prices.set(price.mint, price);
    listeners.tell();
  });
  const hear = () => void load().catch(() => {});

  const unlisten = await store.listen(PRICES_CHANNEL, hear, hear);
  await load();
  const missing = [...deps.defaults].filter(([mint]) => !prices.has(mint));
  if (missing.length > 0) {
    const updatedAt = new Date(clock.now());
    await store.transaction(async (tx) => {
      for (const [mint, usd] of missing) await setPrice(tx, { mint, usd, updatedAt });
    });
    await load();
  }

  return {
    read(mint) {
      const price = prices.get(mint);
      return price && { usd: price.usd, confidence: 0, publishedAt: price.updatedAt.getTime(), stale: false };
    },
    onChange: listeners.add,
    usd: (mint) => prices.get(mint)?.usd,
    async set(mint, usd) {
      const price = { mint, usd, updatedAt: new Date(clock.now()) };
      await store.transaction(async (tx) => {
        await setPrice(tx, price);
        const news = { kind: 'price.changed', at: price.updatedAt, data: { mint, usd } } as const;
        await tell(tx, [{ ...news, wallets: [], begunBy: undefined }]);
        await tx.notify(PRICES_CHANNEL, mint);
      });
      await load().catch(() => {
        // It is in the database all the same.
        prices.set(mint, price);
        listeners.tell();
      });
    },
    reload: load,
    async stamp() {
      await store.transaction(async (tx) => {
        await stampPrices(tx, new Date(clock.now()));
        await tx.notify(PRICES_CHANNEL, '');
      });
      await load();
    },
    close: unlisten,
  };
}
