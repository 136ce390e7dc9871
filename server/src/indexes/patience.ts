/**
 * How many times as long as it has waited in vain an index goes on without waiting: there may be any number of transactions
 * that a node never gives.
 */
export const REST = 10;

/**
 * A time limit for waiting for one thing at a time. It starts when a thing is asked about for the first time. Once it has run
 * out in vain, nothing else is waited for until it has rested.
 */
export class Patience {
  readonly #steadyNow: () => number;
  readonly #milliseconds: number;
  readonly #restMs: number;
  #what: string | undefined;
  #until = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(steadyNow: () => number, milliseconds: number, restMs = 0) {
    this.#steadyNow = steadyNow;
    this.#milliseconds = milliseconds;
    this.#restMs = restMs;
  }

  isLeftFor(what: string): boolean {
    const now = this.#steadyNow();
    if (now < this.#restsUntil) return false;
    if (this.#what !== what) this.#until = now + this.#milliseconds;
    this.#what = what;
    if (now < this.#until) return true;
    this.#restsUntil = now + this.#restMs;
    return false;
  }

  /** It need not be waited for any more. */
  end(): void {
    this.#what = undefined;
  }
}
