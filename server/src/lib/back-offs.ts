export interface BackOffTimes {
  firstMs: number;
  longestMs: number;
}

interface BackOff {
  /** How often in a row the item has failed. */
  tries: number;
  /** How often in a row it had to wait without failing. */
  waits: number;
  /** When it last failed or had to wait, and until when it rests; steady time. */
  at: number;
  until: number;
}

/** Milliseconds to wait after `tries` failures in a row; doubles with each. */
export function backOffMs(tries: number, { firstMs, longestMs }: BackOffTimes): number {
  return Math.min(longestMs, firstMs * 2 ** (Math.max(1, tries) - 1));
}

/** Items that rest after a failure, longer after each failure in a row. Kept in memory only. */
export class BackOffs {
  readonly #byId = new Map<string, BackOff>();
  readonly #times: BackOffTimes;
  readonly #steadyNow: () => number;

  constructor(times: BackOffTimes, steadyNow: () => number) {
    this.#times = times;
    this.#steadyNow = steadyNow;
  }

  /** Records a failure, which counts as no more than `most` in a row; returns the number of failures in a row. */
  fail(id: string, most = Number.POSITIVE_INFINITY): number {
    const { tries: before, waits } = this.#get(id);
    const tries = Math.max(before, Math.min(before + 1, most));
    this.#rest(id, { tries, waits }, backOffMs(Math.min(tries, most), this.#times));
    return tries;
  }

  /** Lets an item rest that has not failed, with its own delays. */
  wait(id: string, times: BackOffTimes): void {
    const { tries, waits } = this.#get(id);
    this.#rest(id, { tries, waits: waits + 1 }, backOffMs(waits + 1, times));
  }

  /** Notes that an item was tried, so that others come before it. It need not rest. */
  touch(id: string): void {
    this.#byId.set(id, { ...this.#get(id), at: this.#steadyNow() });
  }

  isResting(id: string): boolean {
    return this.#get(id).until > this.#steadyNow();
  }

  /** The items that rest now. */
  resting(): string[] {
    return [...this.#byId.keys()].filter((id) => this.isResting(id));
  }

  triesOf(id: string): number {
    return this.#get(id).tries;
  }

  /** How often in a row it has failed or had to wait. */
  restsOf(id: string): number {
    const { tries, waits } = this.#get(id);
    return tries + waits;
  }

  /** When it last failed or had to wait, in steady time; 0 for never. */
  lastAt(id: string): number {
    return this.#get(id).at;
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** Forgets all but these. */
  keepOnly(ids: { has(id: string): boolean }): void {
    for (const id of this.#byId.keys()) if (!ids.has(id)) this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
  }

  #get(id: string): BackOff {
    return this.#byId.get(id) ?? NONE;
  }

  #rest(id: string, counts: Pick<BackOff, 'tries' | 'waits'>, ms: number): void {
    const at = this.#steadyNow();
    this.#byId.set(id, { ...counts, at, until: at + ms });
  }
}

const NONE: BackOff = { tries: 0, waits: 0, at: 0, until: Number.NEGATIVE_INFINITY };
