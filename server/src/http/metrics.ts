import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Counts a finished request of one route, and its duration if known. */
type RouteMeter = (method: string, status: number, milliseconds?: number) => void;

export interface Metrics {
  /** Rooms add metrics of their own with `new Counter({ ..., registers: [metrics.registry] })`. */
  readonly registry: Registry;
  /** The meter of a route, by its pattern; `unmatched` for requests that match no route. */
  meter(route: string): RouteMeter;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A registry with the process's own metrics, request counts by route and status, and durations by route. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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

  return {
    registry,
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
