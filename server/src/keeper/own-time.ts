import { busyNow } from '../lib/clock.js';

/** How long one's own work has taken, which leaves others a turn now and then: what they do in it is not one's own. */
export class OwnTime {
  #othersMs = 0;

  /** Milliseconds; only differences mean anything. */
  now(): number {
    return busyNow() - this.#othersMs;
  }

  async turnOfOthers(): Promise<void> {
    await this.wait(new Promise(setImmediate));
  }

  /** Waits for something. What follows of it meanwhile counts as work of others, too. */
  async wait<T>(something: Promise<T>): Promise<T> {
    const begun = busyNow();
    try {
      return await something;
    } finally {
      this.#othersMs += busyNow() - begun;
    }
  }
}
