/** A time limit for waiting for one thing at a time. It starts when a thing is asked about for the first time. */
export class Patience {
  readonly #steadyNow: () => number;
  readonly #milliseconds: number;
  #what: string | undefined;
  #until = 0;

  constructor(steadyNow: () => number, milliseconds: number) {
    this.#steadyNow = steadyNow;
    this.#milliseconds = milliseconds;
  }

  isLeftFor(what: string): boolean {
    const now = this.#steadyNow();
    if (this.#what !== what) this.#until = now + this.#milliseconds;
    this.#what = what;
    return now < this.#until;
  }
}
