const WINDOW_MS = 1_000;
/** Milliseconds without throttling in which a limit comes back from nothing to what is configured. */
const RECOVERY_MS = 60_000;

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
    const gained = (this.#most * (now - this.#recoveredAt)) / RECOVERY_MS;
    this.#limit = Math.min(this.#most, this.#limit + gained);
    this.#recoveredAt = now;
    return this.#limit;
  }

  /** To half of what was `made` in the last second. Once a second: the answers to what was under way together say the same thing. */
  lower(made: number, now: number): void {
    if (now - this.#loweredAt < WINDOW_MS) return;
    this.#loweredAt = now;
    this.#limit = Math.max(this.#least, Math.min(this.at(now), made) / 2);
  }
}
