/** What is told to each of those who wait for it. */
export interface News<Listener> {
  /** About how many bytes it takes to tell it. */
  bytesFor: (listener: Listener) => number;
  tell: (listener: Listener) => void | Promise<void>;
}

/** News for some listeners of one connection. */
export interface Waiting<Listener> {
  news: News<Listener>;
  /** Who they are when it is their turn. */
  listeners: () => Listener[];
}

/** What one connection is still to be told, in order. */
export class Line<Listener> {
  /** How many bytes its connection may be told before another one has its turn. */
  credit = 0;
  readonly end: () => void;
  readonly #subscribed: () => number;
  readonly #waiting = new Map<string, Waiting<Listener>>();
  /** Goes on through what is added: the beginning of a map takes the longer, the more was deleted there. */
  #inOrder = this.#waiting.entries();
  #news: News<Listener> | undefined;
  /** Who is still to be told of that, the next one last. */
  #listeners: Listener[] = [];

  /** The connection has so many subscriptions, and is ended like this. */
  constructor(subscribed: () => number, end: () => void) {
    this.#subscribed = subscribed;
    this.end = end;
  }

  /** How much news waits. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How much of it is more than one for each subscription, as nothing is that is replaced by what is newer. */
  get excess(): number {
    return this.size - this.#subscribed();
  }

  /** Takes the place of what waits by the same key, such as an older state of the account. */
  add(key: string, waiting: Waiting<Listener>): void {
    this.#waiting.set(key, waiting);
  }

  clear(): void {
    this.#waiting.clear();
    this.#listeners = [];
  }

  /** Who is told next, and of what. */
  next(): { listener: Listener; news: News<Listener> } | undefined {
    for (;;) {
      const listener = this.#listeners.at(-1);
      if (listener !== undefined && this.#news) return { listener, news: this.#news };
      const first = this.#first();
      if (!first) return undefined;
      const [key, { news, listeners }] = first;
      this.#waiting.delete(key);
      this.#news = news;
      this.#listeners = listeners().reverse();
    }
  }

  /** Goes on to the one after `next`. */
  pass(): void {
    this.#listeners.pop();
  }

  #first(): [string, Waiting<Listener>] | undefined {
    const { value, done } = this.#inOrder.next();
    if (!done) return value;
    this.#inOrder = this.#waiting.entries();
    return this.#inOrder.next().value;
  }
}
