import { Counter, Gauge, type Registry } from 'prom-client';
import type { WebhookBacklog } from '../../store/webhook-deliveries.js';

/** Counts what is posted to webhooks; `backlog` is read at each scrape, and may fail. `now`: Unix milliseconds. */
export function createWebhookMetrics(registry: Registry, backlog: () => Promise<WebhookBacklog>, now: () => number) {
  const deliveries = new Counter({
    name: 'slipway_webhook_deliveries_total',
    help: 'Events that were posted to webhooks: received, or failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // An alert compares them, also where nothing has ever arrived.
  for (const outcome of ['received', 'failed']) deliveries.inc({ outcome }, 0);
  // Both gauges are collected at the same time.
  let reading: Promise<WebhookBacklog | undefined> | undefined;
  const read = () => {
    // Without the database the other metrics are still wanted.
    reading ??= backlog()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  new Gauge({
    name: 'slipway_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest event that waits for a webhook whose receiver is not away; of all copies together',
    registers: [registry],
    async collect() {
      const found = await read();
      if (found === undefined) return;
      this.set(found.waitingSince === null ? 0 : Math.max(0, now() - found.waitingSince.getTime()) / 1_000);
    },
  });
  new Gauge({
    name: 'slipway_webhook_dead_letters',
    help: 'Events that have not arrived within a day, and wait for the owner of their webhook; of all copies together',
    registers: [registry],
    async collect() {
      const found = await read();
      if (found !== undefined) this.set(found.deadLetters);
    },
  });
  return { delivered: (outcome: 'received' | 'failed') => deliveries.inc({ outcome }) };
}
