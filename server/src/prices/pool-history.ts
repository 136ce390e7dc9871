import { randomInt } from 'node:crypto';

export interface HistoryRules {
  /** The mean time between two observations; each comes at a random moment after half of it to one and a half. */
  everyMs: number;
  /** The number of observations through which a new price must hold before it counts: of twice as many less one. */
  mustHold: number;
  /** The most by which a price that counts moves in a minute. */
  maxMoveBpsPerMinute: number;
}

interface Observation {
  usd: number;
  /** Steady milliseconds. */
  at: number;
}

const MINUTE_MS = 60_000;
/** In mean times between two observations: the longest wait for the next one. */
const LONGEST = 1.5;
const unforeseen = () => randomInt(2 ** 32) / 2 ** 32;

/** How many observations a price is the middle of. */
export const observationsOf = ({ mustHold }: Pick<HistoryRules, 'mustHold'>): number => 2 * mustHold - 1;

/** The observed prices of one token, and the price that counts by them. */
export class PoolHistory {
  readonly #rules: HistoryRules;
  #observations: Observation[] = [];
  #settled: Observation | undefined;
  /** What the settled price moves to where so long was not observed that observations had to begin anew. */
  #after: number | undefined;
  readonly #random: () => number;
  #dueAt = Number.NEGATIVE_INFINITY;

  /** `random`: from 0 to 1; nobody must be able to foresee it, or a pool need be moved only when it is looked at. */
  constructor(rules: HistoryRules, random: () => number = unforeseen) {
    this.#rules = rules;
    this.#random = random;
  }

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** An observation that cannot be made is not made up for: who keeps it from being made would choose the moment in which it is. */
  pass(now: number): void {
    this.#dueAt = now + this.#rules.everyMs * (0.5 + this.#random());
  }

  add(usd: number, now: number): void {
    this.pass(now);
    this.#observations = [...this.#recent(now), { usd, at: now }].slice(-observationsOf(this.#rules));
    const middle = this.#middle();
    if (middle === undefined) {
      if (this.#settled) this.#after = usd;
      return;
    }
    this.#settled = { usd: this.#bounded(middle, now), at: now };
    if (this.#after !== undefined) this.#after = this.#settled.usd === middle ? undefined : middle;
  }

  /**
   * The price that counts; undefined while there are too few observations, where they are old, and after a gap until it
   * is that of the observations again.
   */
  settled(now: number): number | undefined {
    return this.missing(now) === 0 && this.#after === undefined ? this.#settled?.usd : undefined;
  }

  /** What was observed, without the bound; undefined while there are too few observations, and where they are old. */
  middle(now: number): number | undefined {
    return this.missing(now) === 0 ? this.#middle() : undefined;
  }

  /** After a gap, how long it takes at least until the settled price is that of the observations; else 0. */
  behindMs(): number {
    if (this.#after === undefined || !this.#settled) return 0;
    return (Math.abs(Math.log(this.#after / this.#settled.usd)) / Math.log(this.#mostAMinute())) * MINUTE_MS;
  }

  /** How many more observations it takes until a price counts. */
  missing(now: number): number {
    return observationsOf(this.#rules) - this.#recent(now).length;
  }

  /** Those that are not so old that observations must have failed to be made for half of the time. */
  #recent(now: number): Observation[] {
    const since = now - 2 * observationsOf(this.#rules) * this.#rules.everyMs;
    return this.#observations.filter(({ at }) => at >= since);
  }

  #middle(): number | undefined {
    const count = observationsOf(this.#rules);
    if (this.#observations.length < count) return undefined;
    return this.#observations.map(({ usd }) => usd).sort((a, b) => a - b)[(count - 1) / 2];
  }

  #bounded(usd: number, now: number): number {
    const before = this.#settled;
    if (!before) return usd;
    // Only time that was observed counts, or whoever stops the observations would lift the bound.
    const observedMs = Math.min(now - before.at, LONGEST * this.#rules.everyMs);
    const most = this.#mostAMinute() ** (observedMs / MINUTE_MS);
    return Math.min(before.usd * most, Math.max(before.usd / most, usd));
  }

  #mostAMinute(): number {
    return 1 + this.#rules.maxMoveBpsPerMinute / 10_000;
  }
}
