interface Item {
  /** When it was last asked for; steady milliseconds. */
  at: number;
}

/** How long an item keeps its place where others wait for one. */
const TURN_MS = 60_000;

interface ScanTurnsOptions<T> {
  /** Items that have a place at the same time. */
  places: number;
  /** Items that wait at the same time; further ones are not noted. */
  queue: number;
  /** Keeps its place for as long as it is asked for. */
  isLasting(item: T): boolean;
}

/** Places for fewer items than there may be: whoever has none waits, the first to ask first, and each has its turn. */
export class ScanTurns<T extends Item> {
  readonly #options: ScanTurnsOptions<T>;
  readonly #placed = new Map<string, T>();
  readonly #begun = new Map<string, number>();
  readonly #queue = new Map<string, T>();

  constructor(options: ScanTurnsOptions<T>) {
    this.#options = options;
  }

  get(key: string): T | undefined {
    return this.#placed.get(key);
  }

  values(): Iterable<T> {
    return this.#placed.values();
  }

  /** Whether it waits for a place. */
  waiting(key: string): T | undefined {
    return this.#queue.get(key);
  }

  add(key: string, item: T, now: number): void {
    if (this.#queue.size < this.#options.queue) this.#queue.set(key, item);
    this.#begin(now);
  }

  /** Takes an item away that somebody else keeps from now on. */
  take(key: string): T | undefined {
    const item = this.#placed.get(key) ?? this.#queue.get(key);
    this.#placed.delete(key);
    this.#begun.delete(key);
    this.#queue.delete(key);
    return item;
  }

  /** Forgets what was not asked for since then, and ends turns where others wait. */
  end(askedSince: number, now: number): void {
    for (const [key, { at }] of this.#queue) if (at < askedSince) this.#queue.delete(key);
    const begunSince = this.#queue.size > 0 ? now - TURN_MS : Number.NEGATIVE_INFINITY;
    for (const [key, item] of this.#placed) {
      const isOver = this.#begun.get(key)! < begunSince && !this.#options.isLasting(item);
      if (item.at < askedSince || isOver) this.take(key);
    }
    this.#begin(now);
  }

  #begin(now: number): void {
    for (const [key, item] of this.#queue) {
      if (this.#placed.size >= this.#options.places) return;
      this.#queue.delete(key);
      this.#placed.set(key, item);
      this.#begun.set(key, now);
    }
  }
}
