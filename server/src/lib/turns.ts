/**
 * Runs work of one name one after the other, and work of different names at the same time. The work is told whether it had to
 * wait for other work.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(name: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const run = (before ?? Promise.resolve()).then(() => work(before !== undefined));
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
