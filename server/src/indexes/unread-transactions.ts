import { Gauge } from 'prom-client';
import type { Unreadable } from '../chain/index.js';
import { createFailureLog, type FailureLog } from '../lib/failure-log.js';
import { GrowingCache } from '../lib/growing-cache.js';
import { addUnread, countUnread, type HistoryPlace, removeUnread, tryUnread } from '../store/index-cursors.js';
import type { Tx } from '../store/sql.js';
import { BATCH, type IndexDeps, type IndexedProgram, lockProgram, placed, readEvents } from './indexed-program.js';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const LATE_REST = 9;
/** For so long a node must have told nothing but one slot of a transaction, until that is believed rather than the list. */
const OTHER_SLOT_MS = 60 * 60_000;
/** Of so many transactions another slot than that of the list is remembered. */
const MOST_OTHER_SLOTS = 10_000;

/** Transactions that the node lists but could not return. They are retried with growing delays. */
export class UnreadTransactions<E> {
  readonly #deps: IndexDeps;
  readonly #program: IndexedProgram<E>;
  readonly #gauge: Gauge;
  readonly #failures: FailureLog;
  /** By transaction: the slot that is told of it, if the list had another one, and since when. */
  readonly #otherSlots = new GrowingCache<string, { slot: bigint; since: number }>(MOST_OTHER_SLOTS);
  #retryAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: IndexDeps, program: IndexedProgram<E>) {
    this.#deps = deps;
    this.#program = program;
    this.#gauge = new Gauge({ ...program.unreadGauge, registers: [deps.registry] });
    const message = `transactions of ${program.subject} cannot be read`;
    this.#failures = createFailureLog((line, text) => deps.log.warn(line, text), message);
  }

  async add(tx: Tx, unread: readonly ({ place: HistoryPlace } & Unreadable)[]): Promise<void> {
    const [first] = unread;
    if (!first) return;
    await addUnread(
      tx,
      this.#program.program,
      unread.map(({ place }) => place),
    );
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#waitMs = 0;
    const { place, unreadable: reason } = first;
    this.#failures.report('unread', () => ({ count: unread.length, transaction: place.txId, reason }));
  }

  /** Retries batches if it is time to, until none are left or one of a batch still cannot be read. */
  async retry(): Promise<void> {
    if (this.#deps.steadyNow() < Math.max(this.#retryAt, this.#restsUntil)) return;
    let read = await this.#retryBatch();
    this.#waitMs = read > 0 ? 0 : Math.min(LONGEST_RETRY_MS, this.#waitMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = this.#deps.steadyNow() + this.#waitMs;
    while (read === BATCH) read = await this.#retryBatch();
  }

  /** What is read late is costly: nothing is retried for some times as long as that took. */
  rest(milliseconds: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, this.#deps.steadyNow() + LATE_REST * milliseconds);
  }

  /** Returns how many of a batch could be read. */
  async #retryBatch(): Promise<number> {
    const { store, chain } = this.#deps;
    const { program } = this.#program;
    const places = await store.single((tx) => tryUnread(tx, program, BATCH));
    const answers = await readEvents(chain, this.#program, places);
    const read = places.flatMap((place, index) => {
      const answer = answers[index]!;
      if ('unreadable' in answer || !this.#isBelieved(place, answer.slot)) return [];
      return [{ place: { ...place, slot: answer.slot }, events: answer.events }];
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

  /** Whether it has happened in that slot. The list may have lied of it, and so may this answer. */
  #isBelieved({ txId, slot: listed }: HistoryPlace, slot: bigint): boolean {
    if (slot === listed) return true;
    const now = this.#deps.steadyNow();
    const other = this.#otherSlots.get(txId);
    if (other?.slot === slot) return now - other.since >= OTHER_SLOT_MS;
    this.#otherSlots.set(txId, { slot, since: now });
    return false;
  }

  async count(): Promise<number> {
    const count = await countUnread(this.#deps.store, this.#program.program);
    this.#gauge.set(count);
    return count;
  }
}
