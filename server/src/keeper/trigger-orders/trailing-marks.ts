import type { Store } from '../../store/sql.js';
import { saveMarks } from '../../store/trigger-order-fills.js';
import type { Line } from '../../trigger-orders/line.js';

/** How many marks one statement saves: a quarter of a second's work for a busy database. */
export const MOST_SAVED = 5_000;
/** How many orders a turn looks at for that: a hundredth of a second's work. */
export const MOST_LOOKED_AT = 20_000;

interface Trailing {
  mint: string;
  condition: Line['condition'];
  bps: number;
  /** Its mark in the store, as far as known. */
  stored: number;
  /** Its mark when it left the book. */
  left?: number;
}

/**
 * The trailing orders, with what the store knows of their marks. A new high of one token may move the marks of all its orders at
 * once, so they are saved in turns. Until then, an order that leaves the book and comes back has the mark that it left with.
 */
export class TrailingMarks {
  readonly #store: Pick<Store, 'single'>;
  readonly #markInBook: (id: string) => number | undefined;
  readonly #orders = new Map<string, Trailing>();
  /** Goes round. An order keeps its place however often it is read again, so that each has its turn. */
  #turn = this.#orders.entries();

  constructor(store: Pick<Store, 'single'>, markInBook: (id: string) => number | undefined) {
    this.#store = store;
    this.#markInBook = markInBook;
  }

  get ids(): Iterable<string> {
    return this.#orders.keys();
  }

  bpsOf(id: string): number | null {
    return this.#orders.get(id)?.bps ?? null;
  }

  /** An order has been read, and enters the book; returns its mark. */
  enters(id: string, { mark: stored, ...terms }: Omit<Trailing, 'stored' | 'left'> & { mark: number }): number {
    const known = this.#orders.get(id);
    const isSame = known?.mint === terms.mint && known.condition === terms.condition;
    const unsaved = (isSame ? this.#unsaved(id, known) : undefined) ?? stored;
    // In its place, if it has one.
    this.#orders.set(id, { ...terms, stored });
    return terms.condition === 'below' ? Math.max(stored, unsaved) : Math.min(stored, unsaved);
  }

  /** An order leaves the book with this mark. */
  leaves(id: string, mark: number | undefined): void {
    const known = this.#orders.get(id);
    if (known && mark !== undefined) known.left = mark;
  }

  /** Saves some that have moved, of so many that are looked at; returns whether there may be more of those. */
  async saveSome(most = MOST_LOOKED_AT): Promise<boolean> {
    const some: string[] = [];
    for (let rest = Math.min(this.#orders.size, most); rest > 0 && some.length < MOST_SAVED; rest--) {
      const [id, known] = this.#next();
      if (this.#unsaved(id, known) !== undefined) some.push(id);
      else if (known.left !== undefined) this.#orders.delete(id);
    }
    await this.save(some);
    return some.length === MOST_SAVED;
  }

  /** Saves those of these orders that have moved. */
  async save(ids: readonly string[]): Promise<void> {
    const moved = ids.flatMap((id) => {
      const known = this.#orders.get(id);
      const mark = known && this.#unsaved(id, known);
      return mark === undefined ? [] : [{ id, mark, known: known! }];
    });
    if (moved.length === 0) return;
    const marks = moved.map(({ id, mark }) => ({ id, mark }));
    await this.#store.single((tx) => saveMarks(tx, marks));
    for (const { mark, known } of moved) known.stored = mark;
  }

  #unsaved(id: string, { left, stored }: Trailing): number | undefined {
    const mark = this.#markInBook(id) ?? left;
    return mark === stored ? undefined : mark;
  }

  #next(): [string, Trailing] {
    const next = this.#turn.next();
    if (!next.done) return next.value;
    this.#turn = this.#orders.entries();
    return this.#turn.next().value!;
  }
}
