import type { Logger } from 'pino';
import { waitAtMost } from '../lib/wait-at-most.js';

export interface LoopOptions {
  /** Milliseconds from the end of a turn to the next one. */
  intervalMs: number;
  /** Milliseconds from the start to the first turn; none by default. */
  firstMs?: number;
  /** Milliseconds from a wake-up to the next turn; the interval by default. */
  soonMs?: number;
  /** The longest that `close` waits for a running turn, in milliseconds; without a limit by default. */
  longestCloseMs?: number;
  log: Logger;
  /** The log message for a failed turn. */
  failure: string;
  /** Logs only the first of several failures in a row: for turns that follow each other quickly. */
  logsFirstFailureOnly?: boolean;
}

/** Runs turns one after the other: by a timer, soon after being woken, and whenever one is asked for. */
export class Loop<Result> {
  readonly #turn: (isWoken: boolean) => Promise<Result>;
  readonly #options: LoopOptions;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isWoken = false;
  #isFailing = false;
  #isClosed = false;

  /** `isWoken`: something has woken the loop for this turn. */
  constructor(turn: (isWoken: boolean) => Promise<Result>, options: LoopOptions) {
    this.#turn = turn;
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a turn after those requested before; undefined if the loop is closed by then. @throws what the turn throws */
  tick({ isWoken = false } = {}): Promise<Result | undefined> {
    const result = this.#last.then(() => (this.#isClosed ? undefined : this.#turn(isWoken)));
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** Starts the timer. */
  start(): void {
    this.#schedule(this.#options.firstMs ?? 0);
  }

  /** Makes the next turn begin soon, or soon after the one that is running. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    if (!this.#isRunning) this.#schedule(this.#soonMs);
  }

  /** Called by a turn that has left something: makes the next one come soon, where a timer begins them. */
  again(): void {
    if (this.#isRunning) this.#isWoken = true;
  }

  /** Begins no further turn, and waits for the running one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { longestCloseMs } = this.#options;
    if (longestCloseMs === undefined) await this.#last;
    else await waitAtMost(longestCloseMs, this.#last);
  }

  get #soonMs(): number {
    return this.#options.soonMs ?? this.#options.intervalMs;
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#run(), milliseconds);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    try {
      await this.tick({ isWoken });
      this.#isFailing = false;
    } catch (error) {
      const { log, failure, logsFirstFailureOnly } = this.#options;
      const isKnown = this.#isFailing && logsFirstFailureOnly;
      if (!isKnown && !this.#isClosed) log.warn({ reason: (error as Error).message }, failure);
      this.#isFailing = true;
    }
    this.#isRunning = false;
    this.#schedule(this.#isWoken ? this.#soonMs : this.#options.intervalMs);
  }
}
