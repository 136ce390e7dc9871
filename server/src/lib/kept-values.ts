import { GrowingCache } from './growing-cache.js';

/**
 * Values that are kept for a while for everybody, of at most `most` keys. Each is fetched by whoever asks, at most once at a time
 * by each: whoever waited for another one's fetch would wait in his line.
 */
export class KeptValues<V> {
  readonly #kept: GrowingCache<string, { value: V; until: number }>;
  readonly #flights = new WeakMap<object, Map<string, Promise<V>>>();
  readonly #now: () => number;
  /** Of values that were fetched before the last `clear`, none is kept. */
  #generation = 0;

  constructor(most: number, now: () => number) {
    this.#kept = new GrowingCache(most);
    this.#now = now;
  }

  /** @param keepMs for how long a fetched value is kept. A failed fetch is not; everybody of this asker who waited for it gets its error. */
  async get(asker: object, key: string, fetch: () => Promise<V>, keepMs: (value: V) => number): Promise<V> {
    const known = this.#kept.get(key);
    if (known && this.#now() < known.until) return known.value;
    const flights = this.#flights.get(asker) ?? new Map<string, Promise<V>>();
    this.#flights.set(asker, flights);
    const flight = flights.get(key) ?? this.#fetch(key, fetch, keepMs).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }

  async #fetch(key: string, fetch: () => Promise<V>, keepMs: (value: V) => number): Promise<V> {
    const generation = this.#generation;
    const value = await fetch();
    const ms = keepMs(value);
    if (ms > 0 && generation === this.#generation) this.#kept.set(key, { value, until: this.#now() + ms });
    return value;
  }
}
