/** Runs work of one name one after the other, and work of different names at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const run = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const end = run.then(
      () => {},
      () => {},
    );
    this.#last.set(name, end);
    try {
      return await run;
    } finally {
      if (this.#last.get(name) === end) this.#last.delete(name);
    }
  }
}
