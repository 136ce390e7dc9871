import type { Address } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import { listPrices, setPrice, stampPrices } from '../store/prices.js';
import type { Store } from '../store/sql.js';
import type { Prices } from './index.js';

const CHANNEL = 'prices';

/** Prices that stand still until somebody sets them. They live in the store, and every copy hears of a change. */
export interface SandboxPrices extends Prices {
  /** Resolves when this copy answers with the new price. */
  set(mint: Address, usd: number): Promise<void>;
  /** Dates all prices anew: after the clock has jumped they are as fresh as before. */
  stamp(): Promise<void>;
}

/** `defaults` are written for mints that have no price yet. */
export async function createSandboxPrices(deps: {
  store: Store;
  clock: Clock;
  defaults: ReadonlyMap<Address, number>;
}): Promise<SandboxPrices> {
  const { store, clock } = deps;
  const prices = new Map<string, number>();

  async function load(): Promise<void> {
    for (const { mint, usd } of await listPrices(store)) prices.set(mint, usd);
  }

  const unlisten = await store.listen(CHANNEL, () => void load().catch(() => {}));
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
    usd: (mint) => prices.get(mint),
    async set(mint, usd) {
      await store.transaction(async (tx) => {
        await setPrice(tx, { mint, usd, updatedAt: new Date(clock.now()) });
        await tx.notify(CHANNEL, mint);
      });
      prices.set(mint, usd);
    },
    stamp: () => store.transaction((tx) => stampPrices(tx, new Date(clock.now()))),
    close: unlisten,
  };
}
