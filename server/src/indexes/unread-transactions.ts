import { Gauge } from 'prom-client';
import type { Unreadable } from '../chain/index.js';
import { createFailureLog, type FailureLog } from '../lib/failure-log.js';
import { GrowingCache } from '../lib/growing-cache.js';
import {
  addUnread,
  countUnread,
  findUnread,
  type HistoryPlace,
  removeUnread,
  tryUnread,
} from '../store/index-cursors.js';
import type { Tx } from '../store/sql.js';
import {
  BATCH,
  type IndexDeps,
  type IndexedProgram,
  lockProgram,
  placed,
  readEvents,
  USUAL_ANSWER,
} from './indexed-program.js';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How many long ones are known; the others are found again in their turn. */
const MOST_LONG = 1_000;
/** As many long ones are read one after the other, and none for so many times as long as that took. */
const LONG_AT_A_TIME = 4;
const LONG_REST = 9;
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
  /** Those with long answers. To read one takes ten milliseconds of the event loop: they have a tenth of the time. */
  readonly #long = new Set<string>();
  #longAt = Number.NEGATIVE_INFINITY;

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
    for (const { place, isTooLong } of unread) this.#noteLong(place.txId, isTooLong);
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#waitMs = 0;
    const { place, unreadable: reason } = first;
    this.#failures.report('unread', () => ({ count: unread.length, transaction: place.txId, reason }));
  }

  #noteLong(txId: string, isTooLong = false): void {
    if (isTooLong && this.#long.size < MOST_LONG) this.#long.add(txId);
  }

  /** Retries batches if it is time to, until none are left or one of a batch still cannot be read; then some long ones. */
  async retry(): Promise<void> {
    await this.#retryBatches();
    await this.#readLong();
  }

  async #retryBatches(): Promise<void> {
    if (this.#deps.steadyNow() < this.#retryAt) return;
    let read = await this.#retryBatch();
    this.#waitMs = read > 0 ? 0 : Math.min(LONGEST_RETRY_MS, this.#waitMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = this.#deps.steadyNow() + this.#waitMs;
    while (read === BATCH) read = await this.#retryBatch();
  }

  /** Returns how many of a batch could be read. */
  async #retryBatch(): Promise<number> {
    const { store, chain } = this.#deps;
    const except = [...this.#long];
    const places = await store.single((tx) => tryUnread(tx, this.#program.program, { most: BATCH, except }));
    const answers = await readEvents(chain, this.#program, places, USUAL_ANSWER);
    for (const [index, { txId }] of places.entries()) {
      const answer = answers[index]!;
      this.#noteLong(txId, 'unreadable' in answer && answer.isTooLong);
    }
    return this.#record(places, answers);
  }

  async #readLong(): Promise<void> {
    const { store, chain, steadyNow } = this.#deps;
    const began = steadyNow();
    if (this.#long.size === 0 || began < this.#longAt) return;
    for (const txId of [...this.#long].slice(0, LONG_AT_A_TIME)) {
      this.#long.delete(txId);
      const places = await findUnread(store, this.#program.program, txId);
      await this.#record(places, await readEvents(chain, this.#program, places));
    }
    this.#longAt = steadyNow() + LONG_REST * (steadyNow() - began);
  }

  /** Returns how many of them could be read. */
  async #record(places: readonly HistoryPlace[], answers: Awaited<ReturnType<typeof readEvents<E>>>): Promise<number> {
    const { store } = this.#deps;
    const { program } = this.#program;
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
