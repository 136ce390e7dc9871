/** How long to wait for something: from the first time that it is asked for, and for one thing at a time. */
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
