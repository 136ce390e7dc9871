import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../lib/version.js';

/** Counts a finished request of one route, and its duration if known. */
type RouteMeter = (method: string, status: number, milliseconds?: number) => void;

export interface Metrics {
  /** Rooms add metrics of their own with `new Counter({ ..., registers: [metrics.registry] })`. */
  readonly registry: Registry;
  /** The meter of a route, by its pattern; `unmatched` for requests that match no route. */
  meter(route: string): RouteMeter;
  /** Counts a call by who pays for it: `key` is the id of an API key. */
  called(key: string, outcome: 'served' | 'limited'): void;
}

/** Keys beyond these are counted together, so that no number of keys makes a scrape long. */
const MOST_KEYS = 500;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Gives a registry the process's own metrics, request counts by route and status, and durations by route. */
export function createMetrics(registry = new Registry()): Metrics {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'slipway_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: version(), node: process.version }, 1);
  const requests = new Counter({
    name: 'slipway_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'slipway_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [registry],
  });

  const calls = new Counter({
    name: 'slipway_key_calls_total',
    help: 'Calls of API keys: served, or refused because of a limit; all calls without a key are those of `keyless`',
    labelNames: ['key', 'outcome'],
    registers: [registry],
  });
  const byKey = new Map<string, Record<'served' | 'limited', Counter.Internal>>();

  return {
    registry,
    called(key, outcome) {
      const name = byKey.has(key) || byKey.size < MOST_KEYS ? key : 'others';
      let counts = byKey.get(name);
      if (counts === undefined) {
        const of = (each: 'served' | 'limited') => calls.labels({ key: name, outcome: each });
        counts = { served: of('served'), limited: of('limited') };
        byKey.set(name, counts);
      }
      counts[outcome].inc();
    },
    meter(route) {
      const duration = durations.labels({ route });
      // Looking a counter up by its labels costs more than counting, so every handle is kept.
      const counts = new Map<string, Counter.Internal>();
      return (method, status, milliseconds) => {
        const key = method + status;
        let count = counts.get(key);
        if (count === undefined) {
          count = requests.labels({ method, route, status });
          counts.set(key, count);
        }
        count.inc();
        if (milliseconds !== undefined) duration.observe(milliseconds / 1000);
      };
    },
  };
}
