interface Round<T> {
  left: Set<T>;
  resolve(): void;
}

/** What is searched for anew: a round ends when all that it began with was searched for, whatever is asked for meanwhile. */
export class ScanRounds<T> {
  #rounds: Round<T>[] = [];

  /** Resolves when a search for each of these that still matters has ended. */
  begin(items: Iterable<T>): Promise<void> {
    return new Promise((resolve) => this.#rounds.push({ left: new Set(items), resolve }));
  }

  ended(item: T): void {
    for (const { left } of this.#rounds) left.delete(item);
  }

  /** Ends the rounds of which nothing is left that still matters. */
  settle(matters: (item: T) => boolean): void {
    this.#rounds = this.#rounds.filter(({ left, resolve }) => {
      for (const item of left) if (!matters(item)) left.delete(item);
      if (left.size === 0) resolve();
      return left.size > 0;
    });
  }
}
