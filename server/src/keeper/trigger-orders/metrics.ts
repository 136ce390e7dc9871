import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { FillOutcome } from './fill-order.js';

const SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];

export type TriggerMetrics = ReturnType<typeof createMetrics>;

/** @param counts how many orders this keeper knows now */
export function createMetrics(registry: Registry, counts: () => { waiting: number; unpaid: number }) {
  new Gauge({
    name: 'slipway_trigger_orders',
    help: "Trigger orders: waiting for their price, or unpaid: fired while the keeper's wallet had too little SOL or fills were stopped",
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(counts())) this.set({ state }, count);
    },
  });
  const fills = new Counter({
    name: 'slipway_trigger_fills_total',
    help: 'What became of trigger orders that a price has fired: filled, failed, released to wait again, or broken',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // An alert compares them, also where nothing was ever filled.
  for (const outcome of ['filled', 'failed', 'released', 'broken'] as const) fills.inc({ outcome }, 0);
  const durations = new Histogram({
    name: 'slipway_trigger_fill_duration_seconds',
    help: 'Time from the tick that fires a trigger order until its fill has landed',
    buckets: SECONDS,
    registers: [registry],
  });
  const unchecked = new Counter({
    name: 'slipway_trigger_check_failures_total',
    help: 'How often the orders that wait for the price of a token could not be compared with it, or not all of them',
    registers: [registry],
  });
  return {
    unchecked(): void {
      unchecked.inc();
    },
    /** Another keeper has claimed what is `not ours`, and counts it. */
    ended(outcome: FillOutcome | 'broken', milliseconds: number): void {
      if (outcome === 'not ours') return;
      fills.inc({ outcome: outcome === 'away' || outcome === 'later' ? 'released' : outcome });
      if (outcome === 'filled') durations.observe(milliseconds / 1_000);
    },
  };
}
