import { Gauge } from 'prom-client';
import type { Unreadable } from '../chain/index.js';
import { addUnread, countUnread, type HistoryPlace, removeUnread, tryUnread } from '../store/index-cursors.js';
import type { Tx } from '../store/sql.js';
import { BATCH, type IndexDeps, type IndexedProgram, lockProgram, placed, readEvents } from './indexed-program.js';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** Transactions that the node lists but could not return. They are retried with growing delays. */
export class UnreadTransactions<E> {
  readonly #deps: IndexDeps;
  readonly #program: IndexedProgram<E>;
  readonly #gauge: Gauge;
  #retryAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;

  constructor(deps: IndexDeps, program: IndexedProgram<E>) {
    this.#deps = deps;
    this.#program = program;
    this.#gauge = new Gauge({ ...program.unreadGauge, registers: [deps.registry] });
  }

  async add(tx: Tx, unread: readonly ({ place: HistoryPlace } & Unreadable)[]): Promise<void> {
    const [first] = unread;
    if (!first) return;
    const { log } = this.#deps;
    const { program, subject } = this.#program;
    await addUnread(
      tx,
      program,
      unread.map(({ place }) => place),
    );
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#waitMs = 0;
    const { place, unreadable: reason } = first;
    log.warn({ count: unread.length, transaction: place.txId, reason }, `transactions of ${subject} cannot be read`);
  }

  /** Retries batches if it is time to, until none are left or one of a batch still cannot be read. */
  async retry(): Promise<void> {
    if (this.#deps.steadyNow() < this.#retryAt) return;
    let read = await this.#retryBatch();
    this.#waitMs = read > 0 ? 0 : Math.min(LONGEST_RETRY_MS, this.#waitMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = this.#deps.steadyNow() + this.#waitMs;
    while (read === BATCH) read = await this.#retryBatch();
  }

  /** Returns how many of a batch could be read. */
  async #retryBatch(): Promise<number> {
    const { store, chain } = this.#deps;
    const { program } = this.#program;
    const places = await store.single((tx) => tryUnread(tx, program, BATCH));
    const answers = await readEvents(chain, this.#program, places);
    const read = places.flatMap((place, index) => {
      const answer = answers[index]!;
      return 'unreadable' in answer ? [] : [{ place: { ...place, slot: answer.slot }, events: answer.events }];
    });
    if (read.length === 0) return 0;
    await store.transaction(async (tx) => {
      await lockProgram(tx, this.#program);
      const txIds = read.map(({ place }) => place.txId);
      // Another instance may have read some, or the index may have been reset.
      const removed = await removeUnread(tx, program, txIds);
      await this.#program.record(tx, read.filter(({ place }) => removed.has(place.txId)).flatMap(placed<E>));
    });
    return read.length;
  }

  async count(): Promise<number> {
    const count = await countUnread(this.#deps.store, this.#program.program);
    this.#gauge.set(count);
    return count;
  }
}
