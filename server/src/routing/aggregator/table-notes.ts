import type { Address, LookupTable } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import type { TableBook } from './table-book.js';

/** The most pairs to remember between two turns, and to look into in one. */
const MAX_NOTED = 500;
const MAX_A_TURN = 20;

interface TableNotesDeps {
  book: TableBook | undefined;
  /** The accounts that a lookup table should hold for this request; none if that would not make its route better. */
  wishOf(request: QuoteRequest): readonly Address[];
}

/** Notes what is asked for and which tables help, which is told to the keepers from time to time. */
export class TableNotes {
  readonly #deps: TableNotesDeps;
  readonly #asked = new Map<string, { request: QuoteRequest; asks: number }>();
  readonly #used = new Set<Address>();

  constructor(deps: TableNotesDeps) {
    this.#deps = deps;
  }

  /** A route was asked for. Costs next to nothing: what it lacks is looked into later. */
  asked(request: QuoteRequest): void {
    if (!this.#deps.book?.takesWishes || request.mode !== 'exact-in') return;
    const pair = `${request.input.mint} ${request.output.mint}`;
    const known = this.#asked.get(pair);
    if (known) {
      known.asks += 1;
      known.request = request;
    } else if (this.#asked.size < MAX_NOTED) this.#asked.set(pair, { request, asks: 1 });
  }

  /** A transaction was built with these tables. */
  used(tables: readonly LookupTable[]): void {
    for (const { address } of tables) this.#used.add(address);
  }

  /** Tells the keepers what has been noted; the pairs that were asked for the most often first. */
  async tell(): Promise<void> {
    const { book, wishOf } = this.#deps;
    const noted = [...this.#asked].sort(([, a], [, b]) => b.asks - a.asks).slice(0, MAX_A_TURN);
    const used = [...this.#used];
    this.#asked.clear();
    this.#used.clear();
    const wishes = [];
    for (const [pair, { request, asks }] of noted) {
      // Each is a search or two.
      await new Promise(setImmediate);
      const addresses = wishOf(request);
      if (addresses.length > 0) wishes.push({ pair, addresses, asks });
    }
    await book?.tell(wishes, used);
  }
}
