import { ChainUnavailable } from '../chain/index.js';
import { RecentNames } from '../lib/recent-names.js';
import { Turns } from '../lib/turns.js';

/** Requests that are remembered. */
const MOST_REQUESTS = 10_000;
/** A key has many signatures for one message, and each may have landed: whoever signs as wallets do has one. */
const MOST_SIGNATURES = 3;
/** What could not be told twice is not asked again for so long. */
const FAILED_MS = 1_000;

interface Kept<T> {
  answer: Promise<T>;
  /** Steady milliseconds; none while it is asked. */
  until: number;
}

/**
 * What the node says of a request that was posted, which may be posted again and again, or many times at once. It is asked for a
 * request one thing at a time, whoever waits for the same shares the answer, and it is kept for a moment, as is that there was none.
 */
export class PostedAnswers<T> {
  readonly #keepMs: (answer: T, request: string) => number;
  readonly #now: () => number;
  readonly #turns = new Turns();
  readonly #failedOnce = new RecentNames(MOST_REQUESTS);
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Map<string | null, Kept<T>>>();

  /** `keepMs`: for how long an answer is good for those who post the same afterwards; 0 if it is not. `now`: steady milliseconds. */
  constructor(keepMs: (answer: T, request: string) => number, now: () => number) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /**
   * The answer for a request and the signature that it was posted with; null for one that is still to be signed by us.
   * @throws ChainUnavailable where too many signatures of it were asked for within the time that answers are kept
   */
  of(request: string, signature: string | null, ask: () => Promise<T>): Promise<T> {
    const kept = this.#ofRequest(request);
    const known = kept.get(signature);
    if (known) return known.answer;
    if (kept.size >= MOST_SIGNATURES)
      return Promise.reject(new ChainUnavailable(`request ${request} was just posted with other signatures`));
    const answer = this.#turns.take(request, ask);
    const asked: Kept<T> = { answer, until: Number.POSITIVE_INFINITY };
    kept.set(signature, asked);
    const keep = (milliseconds: number) => {
      asked.until = this.#now() + milliseconds;
    };
    answer.then(
      (told) => keep(this.#keepMs(told, request)),
      () => {
        keep(this.#failedOnce.has(request) ? FAILED_MS : 0);
        this.#failedOnce.add(request);
      },
    );
    return answer;
  }

  /** Requests that are remembered. */
  get size(): number {
    return this.#kept.size;
  }

  /** Without those that are good no more. */
  #ofRequest(request: string): Map<string | null, Kept<T>> {
    this.#forget();
    const kept = this.#kept.get(request) ?? new Map<string | null, Kept<T>>();
    for (const [signature, answer] of kept) if (!this.#isGood(answer)) kept.delete(signature);
    this.#kept.delete(request);
    this.#kept.set(request, kept);
    return kept;
  }

  /** What is good no more does not stay in memory: an answer may be as large as a node makes it. */
  #forget(): void {
    for (const [request, kept] of this.#kept) {
      if (this.#kept.size < MOST_REQUESTS && [...kept.values()].some((answer) => this.#isGood(answer))) return;
      this.#kept.delete(request);
    }
  }

  #isGood({ until }: Kept<T>): boolean {
    return until > this.#now();
  }
}
