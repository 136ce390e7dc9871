import { FairLine } from './fair-line.js';
import type { Guest } from './places.js';

/**
 * Runs work of one name one after the other, and work of different names at the same time. Those who wait take turns by guest, and
 * are told that they had to wait for other work.
 */
export class Turns {
  /** Of the names whose work runs. */
  readonly #lines = new Map<string, FairLine<() => void>>();

  async take<T>(name: string, work: (hasWaited: boolean) => Promise<T>, guest?: Guest): Promise<T> {
    const line = this.#lines.get(name);
    if (line) await new Promise<void>((go) => line.add(go, guest));
    else this.#lines.set(name, new FairLine(Number.POSITIVE_INFINITY));
    try {
      return await work(line !== undefined);
    } finally {
      const next = this.#lines.get(name)!.take();
      if (next) next();
      else this.#lines.delete(name);
    }
  }
}
