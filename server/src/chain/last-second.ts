const WINDOW_MS = 1_000;

/** The calls that have started within the last second, oldest first. */
export class LastSecond<Call> {
  readonly #left: (call: Call) => void;
  #calls: { at: number; call: Call }[] = [];
  /** Those before have left. */
  #first = 0;

  /** `left` is told of each that is older than a second. */
  constructor(left: (call: Call) => void) {
    this.#left = left;
  }

  get size(): number {
    return this.#calls.length - this.#first;
  }

  add(call: Call, at: number): void {
    this.#calls.push({ at, call });
  }

  /** When the next one will be older than a second; undefined if there is none. */
  nextLeavesAt(): number | undefined {
    const oldest = this.#calls[this.#first];
    return oldest && oldest.at + WINDOW_MS;
  }

  forget(now: number): void {
    for (; this.#first < this.#calls.length; this.#first++) {
      const { at, call } = this.#calls[this.#first]!;
      if (at > now - WINDOW_MS) break;
      this.#left(call);
    }
    if (this.#first < 1_024 || this.#first < this.#calls.length / 2) return;
    this.#calls = this.#calls.slice(this.#first);
    this.#first = 0;
  }
}
