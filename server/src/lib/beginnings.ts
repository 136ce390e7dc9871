import { FairLine } from './fair-line.js';
import type { Guest } from './places.js';

/** Has work begin one after the other, with what comes in read in between: guests take turns. */
export class Beginnings {
  readonly #line = new FairLine<() => void>(Number.POSITIVE_INFINITY);
  #isBeginning = false;

  /** Resolves when it is this guest's turn to begin. */
  turn(guest: Guest): Promise<void> {
    return new Promise((begin) => {
      this.#line.add(begin, guest);
      if (this.#isBeginning) return;
      this.#isBeginning = true;
      setImmediate(this.#beginNext);
    });
  }

  readonly #beginNext = (): void => {
    this.#line.take()!();
    this.#isBeginning = this.#line.size > 0;
    if (this.#isBeginning) setImmediate(this.#beginNext);
  };
}
