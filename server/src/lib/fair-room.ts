import type { Guest } from './places.js';

/** Of what guests share, one of them may have one part in so many. */
const PARTS = 5;

/**
 * Room that many share. Whoever has some of it gets more only while all others are left so many times as much: with 1, the
 * first guest can take half of it, the next one half of the rest. So there is some for who comes new, whoever came before.
 */
export class FairRoom {
  readonly #size: number;
  readonly #timesLeft: number;
  readonly #had = new Map<string, number>();
  #taken = 0;

  constructor(size: number, timesLeft: number) {
    this.#size = size;
    this.#timesLeft = timesLeft;
  }

  /** Takes room for whoever it may be; the function gives it back. 'all': there is not so much. */
  take(amount: number): 'all' | (() => void) {
    if (amount > this.#size - this.#taken) return 'all';
    this.#taken += amount;
    return () => {
      this.#taken -= amount;
    };
  }

  /** Counts room that has been taken for a guest; the function forgets that. 'guest': it would have too much. */
  countFor({ id, together }: Guest, amount: number): 'guest' | (() => void) {
    const shares: [name: string, parts: number][] =
      together === undefined
        ? [[id, 1]]
        : [
            [id, PARTS],
            [together, 1],
          ];
    const left = (this.#size - this.#taken) / this.#timesLeft;
    // The first is always let in.
    if (shares.some(([name, parts]) => parts * (this.#of(name) + amount) > Math.max(left, parts * amount)))
      return 'guest';
    const add = (change: number) => {
      for (const [name] of shares) this.#set(name, this.#of(name) + change);
    };
    add(amount);
    return () => add(-amount);
  }

  #of(name: string): number {
    return this.#had.get(name) ?? 0;
  }

  #set(name: string, amount: number): void {
    if (amount > 0) this.#had.set(name, amount);
    else this.#had.delete(name);
  }
}
