import type { Address } from '@slipway/wire';
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../lib/clock.js';
import type { Prices } from '../prices/index.js';
import type { Store } from '../store/sql.js';
import { STOPPABLE, type Stops } from '../store/stops.js';

/**
 * How old the prices of these tokens are. One that a feed is meant to price, and that has none to rely on, is as old as the
 * last that was seen, or as this process: an alert must not fall silent for it. A token that nothing prices has no age.
 */
export function registerPriceMetrics(
  { prices, clock }: { prices: Pick<Prices, 'quote' | 'forOrders'>; clock: Clock },
  tokens: readonly { symbol: string; mint: Address }[],
  registry: Registry,
): void {
  const start = clock.now();
  const last = new Map<Address, number>();
  new Gauge({
    name: 'slipway_price_age_seconds',
    help: 'Since when the price of a token of the configuration is what it is, by its source',
    labelNames: ['token', 'source'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { symbol: token, mint } of tokens) {
        const price = prices.quote(mint);
        if (price) last.set(mint, price.publishedAt);
        const { source } = price ?? prices.forOrders(mint);
        if (source) this.set({ token, source }, (clock.now() - (last.get(mint) ?? start)) / 1_000);
      }
    },
  });
}

export function registerStoreMetrics(store: Pick<Store, 'connections'>, registry: Registry): void {
  new Gauge({
    name: 'slipway_database_connections',
    help: 'Connections to the database: open, of these in use; and statements that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(store.connections())) this.set({ state }, count);
    },
  });
}

export function registerStopMetrics(stops: Pick<Stops, 'list'>, registry: Registry): void {
  new Gauge({
    name: 'slipway_stopped',
    help: 'Whether the operator has stopped this (1) or not (0), for all copies; as last known while the database is away',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      const stopped = await stops.list().catch(() => undefined);
      if (stopped === undefined) return;
      for (const what of STOPPABLE) this.set({ what }, stopped.some((stop) => stop.what === what) ? 1 : 0);
    },
  });
}
