const WINDOW_MS = 1_000;
/** In which a limit comes back from nothing to what is configured, where it does not do so more slowly. */
const RECOVERY_MS = 60_000;
/** Of a limit, what comes back of it in a second, at most: at the edge of what a node gives, a small plan refuses few calls for it. */
const REGAINED = 0.1;
/** And at least, in calls a second: what was lowered to one call would take half a minute to begin with. */
const REGAINED_CALLS = 1;
/** Of a limit, what is left of it after one refusal, at least: of a node that is asked little, that says little. */
const LEAST_LEFT = 1 / 8;

/** Calls a second: lowered where a node throttles, and coming back by itself. */
export class RecoveringLimit {
  readonly #most: number;
  readonly #least: number;
  #limit: number;
  #recoveredAt = 0;
  #loweredAt = Number.NEGATIVE_INFINITY;

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

  /** To half of what was `made` in the last second. Once a second: the answers to what was under way together say the same thing. */
  lower(made: number, now: number): void {
    if (now - this.#loweredAt < WINDOW_MS) return;
    this.#loweredAt = now;
    const limit = this.at(now);
    this.#limit = Math.max(this.#least, Math.min(limit, made) / 2, limit * LEAST_LEFT);
  }
}
