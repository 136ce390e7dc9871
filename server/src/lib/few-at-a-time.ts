import { FairLine } from './fair-line.js';
import type { Guest } from './places.js';

interface Named {
  running: number;
  waiting: FairLine<() => void>;
}

/** Runs so much work of each name at a time. More of that name waits: guests take turns, and of each what came first goes first. */
export class FewAtATime {
  readonly #most: number;
  readonly #names = new Map<string, Named>();

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(name: string, work: () => Promise<T>, guest?: Guest): Promise<T> {
    const own = this.#names.get(name) ?? { running: 0, waiting: new FairLine(Number.POSITIVE_INFINITY) };
    this.#names.set(name, own);
    // Who waits takes over from who ends.
    if (own.running >= this.#most) await new Promise<void>((begin) => own.waiting.add(begin, guest));
    else own.running += 1;
    try {
      return await work();
    } finally {
      const next = own.waiting.take();
      if (next) next();
      else own.running -= 1;
      if (own.running === 0) this.#names.delete(name);
    }
  }
}
