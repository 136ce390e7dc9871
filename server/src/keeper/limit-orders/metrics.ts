import { Counter, Gauge, type Registry } from 'prom-client';
import type { FillableOrders } from './fillable-orders.js';

export type LimitOrderMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const orders = new Gauge({
    name: 'slipway_limit_orders',
    help: "The limit order program's accounts: open, or why they are left alone",
    labelNames: ['state'],
    registers: [registry],
  });
  const attempts = new Counter({
    name: 'slipway_limit_order_attempts_total',
    help: 'What the keeper has done with limit orders: filled (also a part), cancelled after expiry, failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    listed({ orders: open, skipped }: FillableOrders): void {
      orders.reset();
      orders.set({ state: 'open' }, open.length);
      for (const [reason, count] of skipped) orders.set({ state: reason }, count);
    },
    attempted: (outcome: 'filled' | 'cancelled' | 'failed') => attempts.inc({ outcome }),
  };
}
