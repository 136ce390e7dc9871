import type { Address, LookupTable } from '@slipway/wire';
import type { QuoteRequest } from '../router.js';
import type { TableBook } from './table-book.js';

/**
 * The most pairs to remember until they are looked into. Few: anybody keeps all places taken by pairs that are slow to look
 * into, and this bounds for how long another one waits that has got one. What is asked for most often gets one first.
 */
const MAX_NOTED = 50;
/** The share of all time that looking into them may take, and how much of it may be saved up, in milliseconds. */
const SHARE = 0.02;
const MAX_SAVED_MS = 200;

interface TableNotesDeps {
  book: TableBook | undefined;
  steadyNow: () => number;
  /**
   * The accounts that a lookup table should hold for this request, after a few steps that each keep the process; none if
   * that would not make its route better.
   */
  wishOf(request: QuoteRequest): Iterator<void, readonly Address[]>;
}

/** Notes what is asked for and which tables help, which is told to the keepers from time to time. */
export class TableNotes {
  readonly #deps: TableNotesDeps;
  /** The pair that waits for the longest first. */
  readonly #asked = new Map<string, { request: QuoteRequest; asks: number }>();
  readonly #used = new Set<Address>();
  /** Below 0 where the last look took more than was left. */
  #leftMs = MAX_SAVED_MS;
  #countedAt: number;

  constructor(deps: TableNotesDeps) {
    this.#deps = deps;
    this.#countedAt = deps.steadyNow();
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

  /**
   * Tells the keepers what has been noted. Pairs have their turn one after the other, however often they were asked for,
   * for as long as there is time to look into them; the others wait.
   */
  async tell(): Promise<void> {
    const { book } = this.#deps;
    const used = [...this.#used];
    this.#used.clear();
    const wishes = [];
    while (this.#hasTime()) {
      const [next] = this.#asked;
      if (!next) break;
      const [pair, { request, asks }] = next;
      this.#asked.delete(pair);
      const addresses = await this.#lookInto(request);
      if (addresses.length > 0) wishes.push({ pair, addresses, asks });
    }
    await book?.tell(wishes, used);
  }

  #hasTime(): boolean {
    const now = this.#deps.steadyNow();
    this.#leftMs = Math.min(MAX_SAVED_MS, this.#leftMs + (now - this.#countedAt) * SHARE);
    this.#countedAt = now;
    return this.#leftMs > 0;
  }

  async #lookInto(request: QuoteRequest): Promise<readonly Address[]> {
    const { steadyNow, wishOf } = this.#deps;
    const steps = wishOf(request);
    for (;;) {
      // Whatever else waits has its turn first, and its time is not counted.
      await new Promise(setImmediate);
      const began = steadyNow();
      const step = steps.next();
      this.#leftMs -= steadyNow() - began;
      if (step.done) return step.value;
    }
  }
}
