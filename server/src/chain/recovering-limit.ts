const WINDOW_MS = 1_000;
/** In which a limit comes back from nothing to what is configured, where it does not do so more slowly. */
const RECOVERY_MS = 60_000;
/** Of a limit, what comes back of it in a second, at most: at the edge of what a node gives, a small plan refuses few calls for it. */
const REGAINED = 0.1;
/** And at least, in calls a second: what was lowered to one call would take half a minute to begin with. */
const REGAINED_CALLS = 1;
/** Of a limit, what is left of it after one refusal, at least: of a node that is asked little, that says little. */
const LEAST_LEFT = 1 / 8;
/** Of the calls of a second, what is refused by a node that is asked for more than it gives, at least: it refuses fewer for other reasons. */
const REFUSED_AT_LIMIT = 1 / 30;

/** Calls a second: lowered where a node throttles, and coming back by itself. */
export class RecoveringLimit {
  readonly #most: number;
  readonly #least: number;
  #limit: number;
  #recoveredAt = 0;
  /** Of the second since the first of them. */
  #refusals = { since: Number.NEGATIVE_INFINITY, limit: 0, made: 0, count: 0 };

  constructor(most: number, least: number) {
    this.#most = most;
    this.#least = Math.min(least, most);
    this.#limit = most;
  }

  at(now: number): number {
    let seconds = Math.max(0, now - this.#recoveredAt) / WINDOW_MS;
    this.#recoveredAt = Math.max(this.#recoveredAt, now);
    const fastest = (this.#most * WINDOW_MS) / RECOVERY_MS;
    const slowest = Math.min(fastest, REGAINED_CALLS);
    const [first, last] = [slowest / REGAINED, fastest / REGAINED];
    if (this.#limit < first) {
      const spent = Math.min(seconds, (first - this.#limit) / slowest);
      this.#limit += spent * slowest;
      seconds -= spent;
    }
    if (this.#limit < last) {
      const spent = Math.min(seconds, Math.log(last / this.#limit) / REGAINED);
      this.#limit *= Math.exp(spent * REGAINED);
      seconds -= spent;
    }
    this.#limit = Math.min(this.#most, this.#limit + fastest * seconds);
    return this.#limit;
  }

  /** Nothing comes back until then: nobody has tried what the node gives. */
  pause(until: number): void {
    this.#recoveredAt = Math.max(this.#recoveredAt, until);
  }

  /**
   * By what is refused, of what was `made` in the last second; to half of that where it is so much that the node gives no more. What is
   * refused in the second after that says the same thing: it is the answers to what was under way together.
   */
  lower(made: number, now: number): void {
    const current = this.at(now);
    if (now - this.#refusals.since >= WINDOW_MS) this.#refusals = { since: now, limit: current, made, count: 0 };
    const first = this.#refusals;
    if (first.count / first.made >= REFUSED_AT_LIMIT) return;
    first.count++;
    const share = first.count / first.made;
    const lowered = share < REFUSED_AT_LIMIT ? first.limit * (1 - share) : Math.min(first.limit, first.made) / 2;
    this.#limit = Math.max(this.#least, lowered, first.limit * LEAST_LEFT);
  }
}
