import { setImmediate } from 'node:timers/promises';
import type { Line, Waiting } from './line.js';

/** After so many bytes, what else waits for the chain has its turn. */
const TURN_BYTES = 1 << 20;
/** What each line is told before the next one is. */
const SHARE_BYTES = 16 << 10;
/** What the shortest notification counts, and a look at a line. */
const LEAST_BYTES = 1 << 10;
/** How much news may wait on one connection, beyond one for each of its subscriptions, and on all. */
const MAX_WAITING = { ofConnection: 5_000, ofAll: 400_000 };

type Next<Listener> = NonNullable<ReturnType<Line<Listener>['next']>>;

/**
 * Tells all connections their news, each a share in turn, so that nobody waits for what another one is told; and lets all
 * else that the chain does have its turn between.
 */
export class Lines<Listener> {
  readonly #log: (line: string) => void;
  /** Those that are to be told something, whose turn is next first. */
  readonly #due = new Set<Line<Listener>>();
  /** Those whose next news waits for something outside, such as the node that this chain was begun from. */
  readonly #away = new Set<Line<Listener>>();
  #telling = false;
  /** How much news waits. */
  #waiting = 0;
  /** Bytes since others had their turn. */
  #told = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /**
   * Begins to tell it at once, where nothing else is being told. Ends the connection that has far too much waiting: that
   * of a client which asks for more than can be told.
   */
  add(line: Line<Listener>, key: string, waiting: Waiting<Listener>): void {
    this.#counted(line, () => line.add(key, waiting));
    if (!this.#away.has(line)) this.#due.add(line);
    if (line.excess > MAX_WAITING.ofConnection) line.end();
    else if (this.#waiting > MAX_WAITING.ofAll) longest([...this.#due, ...this.#away]).end();
    void this.#tellAll();
  }

  drop(line: Line<Listener>): void {
    this.#counted(line, () => line.clear());
    this.#due.delete(line);
  }

  #counted<T>(line: Line<Listener>, change: () => T): T {
    const before = line.size;
    try {
      return change();
    } finally {
      this.#waiting += line.size - before;
    }
  }

  /** Waits for nothing where there is little to be told: then it is told before the next event comes. */
  async #tellAll(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    // Whoever has more to hear comes again at the end.
    for (const line of this.#due) {
      this.#due.delete(line);
      line.credit += SHARE_BYTES;
      this.#told += LEAST_BYTES;
      if (this.#told >= TURN_BYTES) await this.#letOthers();
      for (let next = this.#next(line); next; next = this.#next(line)) {
        const bytes = LEAST_BYTES + this.#bytesFor(next);
        if (bytes > line.credit) break;
        line.credit -= bytes;
        this.#told += bytes;
        line.pass();
        const telling = this.#tell(next);
        if (telling && !(await endsNow(telling))) this.#leave(line, telling);
        if (this.#told >= TURN_BYTES) await this.#letOthers();
        if (this.#away.has(line)) break;
      }
      if (this.#away.has(line)) continue;
      if (this.#next(line)) this.#due.add(line);
      else line.credit = 0;
    }
    this.#telling = false;
  }

  /** Others are told meanwhile. */
  #leave(line: Line<Listener>, telling: Promise<void>): void {
    this.#away.add(line);
    void telling.then(() => {
      this.#away.delete(line);
      if (!this.#next(line)) return;
      this.#due.add(line);
      void this.#tellAll();
    });
  }

  /** News whose listeners cannot be told is left out. */
  #next(line: Line<Listener>): Next<Listener> | undefined {
    for (;;) {
      try {
        return this.#counted(line, () => line.next());
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #bytesFor({ news, listener }: Next<Listener>): number {
    try {
      return news.bytesFor(listener);
    } catch (error) {
      this.#failed(error);
      return 0;
    }
  }

  #tell({ news, listener }: Next<Listener>): void | Promise<void> {
    try {
      return news.tell(listener)?.catch((error) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#log(`a notification failed: ${error}`);
  }

  async #letOthers(): Promise<void> {
    this.#told = 0;
    await setImmediate();
  }
}

/** Whether it waits for nothing but its own work. */
async function endsNow(telling: Promise<void>): Promise<boolean> {
  return Promise.race([telling.then(() => true), setImmediate(false)]);
}

function longest<Listener>(lines: Iterable<Line<Listener>>): Line<Listener> {
  return [...lines].reduce((one, other) => (other.excess > one.excess ? other : one));
}
