import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, ChainUnavailable, type Listed, type Unreadable } from '../chain/index.js';
import { BATCH, type IndexedProgram, readEvents } from './indexed-program.js';
import { Patience, REST } from './patience.js';

/** How long a node may refuse a whole batch before its transactions count as unreadable: most nodes recover. */
export const REFUSAL_MS = 60_000;
/** The most that are read at a time. */
const MOST = 8 * BATCH;
/** A batch that is read and recorded within this is followed by a larger one, any other by a smaller one: no call waits for five seconds. */
const SOON_MS = 1_000;
/** So many characters of answers are read in a millisecond. A megabyte takes ten milliseconds of the event loop. */
const PACE = 4_000;
/** By then batches are small. */
const LONGEST_REST_MS = 2_000;

/** A listed transaction with what it did. */
export type Read<E> = { listed: Listed } & ({ events: E[] } | Unreadable);

/** Whether the node had more of it than a line in a list. */
export const isGiven = (read: Read<unknown>): boolean => 'events' in read || !(read.isMissing || read.isRefused);

/**
 * Reads what was listed, a batch at a time. A few at a time are far fewer than a node that is far away may be asked for; many at a
 * time wait too long while others leave few calls. Anybody can land a transaction for 5,000 lamports whose answer has a megabyte: it is
 * read in its turn, because what comes late is costly, and then the event loop has a rest. One that takes long to record, as of a dozen
 * orders, has no rest after it, which would have the lists of all be later by as much: that waits for the database, mostly.
 */
export class ListedReader<E> {
  readonly #chain: Pick<Chain, 'rpc'>;
  readonly #program: Pick<IndexedProgram<E>, 'decode'>;
  readonly #steadyNow: () => number;
  /** For a node that refuses a whole batch. */
  readonly #refusing: Patience;
  #size = BATCH;
  /** How long the last batch took. */
  #readMs = 0;
  #restsUntil = 0;

  constructor(chain: Pick<Chain, 'rpc'>, program: Pick<IndexedProgram<E>, 'decode'>, steadyNow: () => number) {
    this.#chain = chain;
    this.#program = program;
    this.#steadyNow = steadyNow;
    this.#refusing = new Patience(steadyNow, REFUSAL_MS, REST * REFUSAL_MS);
  }

  /** Cuts a list. How large a batch is depends on how long those before it have taken. */
  *batches(listed: readonly Listed[]): Generator<Listed[]> {
    for (let at = 0; at < listed.length; ) {
      const batch = listed.slice(at, at + this.#size);
      yield batch;
      at += batch.length;
    }
  }

  /**
   * What each of a batch did. @throws ChainUnavailable, also if the node refuses the whole batch: for a while, the node is blamed; and
   * if it tells another slot than the list: nobody knows which is true
   */
  async read(batch: readonly Listed[]): Promise<Read<E>[]> {
    const left = this.#restsUntil - this.#steadyNow();
    if (left > 0) await sleep(left);
    const began = this.#steadyNow();
    const read = await readEvents(this.#chain, this.#program, batch).catch((error) => {
      this.#size = BATCH;
      throw error;
    });
    const length = read.reduce((sum, each) => sum + ('events' in each ? each.calledLength : 0), 0);
    const restMs = Math.min(length / PACE, LONGEST_REST_MS);
    this.#restsUntil = Math.max(this.#restsUntil, began) + restMs;
    this.#readMs = Math.max(this.#steadyNow() - began, restMs);
    const refusals = read.flatMap((each) => ('isRefused' in each && each.isRefused ? [each.unreadable] : []));
    if (refusals[0] && refusals.length === batch.length && this.#refusing.isLeftFor(batch[0]!.txId)) {
      throw new ChainUnavailable(refusals[0]);
    }
    return batch.map((listed, index) => {
      const result = read[index]!;
      if ('unreadable' in result) return { listed, ...result };
      if (result.slot === listed.slot) return { listed, events: result.events };
      throw new ChainUnavailable(`${this.#chain.rpc.name} tells two slots of ${listed.txId}`);
    });
  }

  /** So many that were read are recorded now, and that took so long. */
  recorded(count: number, tookMs: number): void {
    if (this.#readMs + tookMs >= SOON_MS) this.#size = Math.max(BATCH, this.#size / 2);
    else if (count >= this.#size) this.#size = Math.min(MOST, 2 * this.#size);
  }
}
