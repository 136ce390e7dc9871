/** Who takes a place. */
export interface Guest {
  readonly id: string;
  /** What many guests share, who are as many as there are addresses: the key of a page, or that they have none. */
  readonly together?: string | undefined;
}

/** Of what guests share, one of them has one part in so many. */
const PARTS = 5;

/** The names by which a guest is counted, each with the places that it may have, where one key has `most`. */
export function boundsOf({ id, together }: Guest, most: number): readonly (readonly [name: string, most: number])[] {
  if (together === undefined) return [[id, most]];
  return [
    [id, Math.ceil(most / PARTS)],
    [together, most],
  ];
}

/** No place is left; nothing was begun. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
  constructor(
    /** Whether the guest has too many, or all together. */
    readonly whose: 'guest' | 'all',
  ) {
    super('no place is left');
  }
}

/**
 * Counts what is going on at the same time, by guest and in all. Whoever has some places gets more only while as many are left for
 * all others: there are some for who comes new.
 */
export class Places {
  readonly #ofKey: number;
  readonly #all: number;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  /** The most places of one key, and of all. */
  constructor(most: { ofKey: number; all: number }) {
    this.#ofKey = most.ofKey;
    this.#all = most.all;
  }

  /** Takes a place; the function that it returns gives it back. @throws NoPlace */
  enter(guest: Guest): () => void {
    const bounds = boundsOf(guest, this.#ofKey);
    if (bounds.some(([name, most]) => this.#of(name) >= most)) throw new NoPlace('guest');
    const left = this.#all - this.#inAll;
    if (left <= 0) throw new NoPlace('all');
    if (bounds.some(([name]) => this.#of(name) >= left)) throw new NoPlace('guest');
    const add = (change: 1 | -1) => {
      this.#inAll += change;
      for (const [name] of bounds) this.#set(name, this.#of(name) + change);
    };
    add(1);
    return () => add(-1);
  }

  #of(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #set(name: string, count: number): void {
    if (count > 0) this.#taken.set(name, count);
    else this.#taken.delete(name);
  }
}
