interface Named {
  running: number;
  waiting: (() => void)[];
}

/** Runs so much work of each name at a time; more of that name waits, what came first before the rest. */
export class FewAtATime {
  readonly #most: number;
  readonly #names = new Map<string, Named>();

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const own = this.#names.get(name) ?? { running: 0, waiting: [] };
    this.#names.set(name, own);
    // Who waits takes over from who ends.
    if (own.running >= this.#most) await new Promise<void>((begin) => own.waiting.push(begin));
    else own.running += 1;
    try {
      return await work();
    } finally {
      const next = own.waiting.shift();
      if (next) next();
      else own.running -= 1;
      if (own.running === 0) this.#names.delete(name);
    }
  }
}
