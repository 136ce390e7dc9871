/**
 * Remembers names: `least` of the last ones for sure, and never more than twice as many. A cache that also knows which of them
 * was asked for last makes room for all of them at once, which takes milliseconds of a start.
 */
export class RecentNames {
  readonly #least: number;
  #last = new Set<string>();
  #before = new Set<string>();

  constructor(least: number) {
    this.#least = least;
  }

  has(name: string): boolean {
    return this.#last.has(name) || this.#before.has(name);
  }

  add(name: string): void {
    if (this.#last.size >= this.#least) {
      this.#before = this.#last;
      this.#last = new Set();
    }
    this.#last.add(name);
  }
}
