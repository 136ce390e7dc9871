import type { Logger } from 'pino';
import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { MetricsHistory } from '../areas/area.js';
import { Loop } from '../keeper/loop.js';
import type { Clock } from '../lib/clock.js';

const EVERY_SECONDS = 15;
const KEPT_SECONDS = 6 * 3_600;
const MOST_SAMPLES = KEPT_SECONDS / EVERY_SECONDS;

/** Not what clients ask for: the operator's page, probes, and streams, which last as long as they are open. */
const NOT_SERVED = /^\/(?:admin\/|assets\/|events\/v1\/stream|livez|readyz|metrics)/;
/** Shown as they are now, with their labels. */
const SHOWN_NOW = [
  'slipway_build_info',
  'slipway_wallet_lamports',
  'slipway_price_age_seconds',
  'slipway_rpc_slot',
  'slipway_database_connections',
  'slipway_pools',
  'slipway_pools_skipped',
  'slipway_router_answers_total',
  'slipway_trigger_orders',
  'slipway_limit_orders',
  'slipway_key_calls_total',
  'slipway_lost_transactions',
] as const;

type Labels = Readonly<Record<string, string | number | undefined>>;
type Wanted = (labels: Labels) => boolean;
type Values = readonly (MetricValue<string> & { metricName?: string })[];
/** How many of the observations of an interval were at most so large, by the bounds of the histogram. */
type Spread = readonly (readonly [bound: number, count: number])[];

interface MetricsRecorderDeps {
  registry: Registry;
  /** Of the wall: a sandbox that moves its time keeps its history. */
  clock: Clock;
  /** Names this process. */
  copy: string;
  log: Logger;
}

/** Keeps what the service measures for six hours, as some twenty numbers every 15 seconds: half a megabyte at most. */
export class MetricsRecorder {
  readonly #deps: MetricsRecorderDeps;
  readonly #loop: Loop<void>;
  readonly #times: number[] = [];
  readonly #series = new Map<string, (number | null)[]>();
  /** The counters as they were a sample ago. */
  readonly #before = new Map<string, number>();
  #seconds = 0;

  constructor(deps: MetricsRecorderDeps) {
    this.#deps = deps;
    this.#loop = new Loop(() => this.sample(), {
      intervalMs: EVERY_SECONDS * 1_000,
      log: deps.log,
      failure: 'the metrics cannot be sampled; will try again',
      logsFirstFailureOnly: true,
    });
  }

  start(): void {
    this.#loop.start();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** What was measured after `since`, in Unix milliseconds, and what can be seen now. */
  async history(since: number): Promise<MetricsHistory> {
    const later = this.#times.findIndex((at) => at > since);
    const from = later < 0 ? this.#times.length : later;
    const now = await Promise.all(SHOWN_NOW.map((name) => this.#shown(name)));
    return {
      copy: this.#deps.copy,
      everySeconds: EVERY_SECONDS,
      times: this.#times.slice(from),
      series: Object.fromEntries([...this.#series].map(([name, values]) => [name, values.slice(from)])),
      now: now.flat(),
    };
  }

  async sample(): Promise<void> {
    const at = this.#deps.clock.now();
    this.#seconds = (at - (this.#times.at(-1) ?? at)) / 1_000;
    const numbers = { ...(await this.#ofRequests()), ...(await this.#ofChain()), ...(await this.#ofProcess()) };
    const known = this.#times.push(at) - 1;
    for (const name of new Set([...this.#series.keys(), ...Object.keys(numbers)])) {
      const value = (numbers as Record<string, number | null>)[name] ?? null;
      const values = this.#series.get(name) ?? new Array<null>(known).fill(null);
      values.push(value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(5)));
      this.#series.set(name, values);
    }
    if (this.#times.length <= MOST_SAMPLES) return;
    this.#times.shift();
    for (const values of this.#series.values()) values.shift();
  }

  async #ofRequests() {
    const served: Wanted = ({ route }) => !NOT_SERVED.test(String(route));
    const requests = await this.#values('slipway_http_requests_total');
    const spread = await this.#spread('slipway_http_request_duration_seconds', served);
    return {
      requests: this.#rate('requests', requests, served),
      refused: this.#rate('refused', requests, (labels) => served(labels) && /^4/.test(String(labels.status))),
      errors: this.#rate('errors', requests, (labels) => served(labels) && /^5/.test(String(labels.status))),
      latency50: milliseconds(spread, 0.5),
      latency95: milliseconds(spread, 0.95),
    };
  }

  async #ofChain() {
    const ended = await this.#values('slipway_transactions_total');
    const perMinute = (state: string) => {
      const rate = this.#rate(state, ended, (labels) => labels.state === state);
      return rate === null ? null : rate * 60;
    };
    const calls = await this.#spread('slipway_rpc_call_duration_seconds', ({ outcome }) => outcome === 'answered');
    const ages = await this.#values('slipway_price_age_seconds');
    const wallets = await this.#values('slipway_wallet_lamports');
    return {
      landed: perMinute('landed'),
      failed: perMinute('failed'),
      expired: perMinute('expired'),
      landing95: milliseconds(await this.#spread('slipway_landing_duration_seconds'), 0.95),
      keeperLag95: milliseconds(await this.#spread('slipway_trigger_fill_duration_seconds'), 0.95),
      rpc95: milliseconds(calls, 0.95),
      rpcFailures: await this.#rpcFailures(),
      priceAge: ages.length === 0 ? null : ages.reduce((oldest, { value }) => Math.max(oldest, value), 0),
      ...Object.fromEntries(wallets.map(({ labels, value }) => [`wallet.${labels.wallet}`, value])),
    };
  }

  async #rpcFailures(): Promise<number | null> {
    const counts = (await this.#values('slipway_rpc_call_duration_seconds')).filter(({ metricName = '' }) =>
      metricName.endsWith('_count'),
    );
    return this.#rate('rpcFailures', counts, ({ outcome }) => outcome === 'failed' || outcome === 'throttled');
  }

  async #ofProcess() {
    const connections = await this.#values('slipway_database_connections');
    const state = (wanted: string) => connections.find(({ labels }) => labels.state === wanted)?.value ?? null;
    const [memory] = await this.#values('process_resident_memory_bytes');
    const [lag] = await this.#values('nodejs_eventloop_lag_p99_seconds');
    return {
      databaseUsed: state('used'),
      databaseWaiting: state('waiting'),
      memory: memory?.value ?? null,
      eventLoop: lag === undefined ? null : lag.value * 1_000,
    };
  }

  async #values(name: string): Promise<Values> {
    const metric = this.#deps.registry.getSingleMetric(name) as Metric | undefined;
    return ((await metric?.get()) as MetricObjectWithValues<MetricValue<string>> | undefined)?.values ?? [];
  }

  async #shown(name: string): Promise<MetricsHistory['now']> {
    const values = await this.#values(name);
    const text = (labels: Labels) => Object.fromEntries(Object.entries(labels).map(([key, of]) => [key, String(of)]));
    return values.map(({ labels, value }) => ({ name, labels: text(labels), value }));
  }

  /** How much a counter has grown since the last sample; null if there was none. */
  #growth(key: string, value: number): number | null {
    const before = this.#before.get(key);
    this.#before.set(key, value);
    if (this.#seconds <= 0) return null;
    return value - (before ?? 0);
  }

  /** A second. */
  #rate(key: string, values: Values, wanted: Wanted): number | null {
    const sum = values.reduce((total, { labels, value }) => total + (wanted(labels) ? value : 0), 0);
    const growth = this.#growth(key, sum);
    return growth === null ? null : growth / this.#seconds;
  }

  async #spread(name: string, wanted: Wanted = () => true): Promise<Spread> {
    const counts = new Map<number, number>();
    for (const { labels, value } of await this.#values(name)) {
      const { le } = labels as Labels;
      if (le === undefined || !wanted(labels)) continue;
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      counts.set(bound, (counts.get(bound) ?? 0) + value);
    }
    const grown = [...counts].map(([bound, count]) => [bound, this.#growth(`${name} ${bound}`, count) ?? 0] as const);
    return grown.sort(([a], [b]) => a - b);
  }
}

/** Below which a part of the observations of an interval lie, in milliseconds; null where there were none. */
function milliseconds(spread: Spread, part: number): number | null {
  const all = spread.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  const index = spread.findIndex(([, count]) => count >= all * part);
  const [bound, count] = spread[index]!;
  const [low, below] = spread[index - 1] ?? [0, 0];
  // Nothing is known of what lies beyond the last bound.
  if (!Number.isFinite(bound)) return low * 1_000;
  return (low + ((all * part - below) / (count - below || 1)) * (bound - low)) * 1_000;
}
