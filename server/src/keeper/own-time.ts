import { busyNow } from '../lib/clock.js';

/** How long one's own work has taken, which leaves others a turn now and then: what they do in it is not one's own. */
export class OwnTime {
  #othersMs = 0;

  /** Milliseconds; only differences mean anything. */
  now(): number {
    return busyNow() - this.#othersMs;
  }

  async turnOfOthers(): Promise<void> {
    const begun = busyNow();
    await new Promise(setImmediate);
    this.#othersMs += busyNow() - begun;
  }
}
