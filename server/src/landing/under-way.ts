/** Too many transactions are under way; nothing was sent. */
export class TooManyUnderWay extends Error {
  override readonly name = 'TooManyUnderWay';
  constructor(
    /** Whether the caller has too many, or all together. */
    readonly whose: 'caller' | 'all',
  ) {
    super('too many transactions are under way');
  }
}

/** The most transactions that are followed at the same time. */
export interface UnderWayLimits {
  /** Of one caller. */
  underWayPerKey: number;
  underWay: number;
}

/** Counts what is under way, by caller and in all. */
export class UnderWay {
  readonly #limits: UnderWayLimits;
  readonly #byCaller = new Map<string, number>();
  #inAll = 0;

  constructor(limits: UnderWayLimits) {
    this.#limits = limits;
  }

  get inAll(): number {
    return this.#inAll;
  }

  /** Takes a place for a caller. @throws TooManyUnderWay */
  enter(caller: string): void {
    const own = this.#byCaller.get(caller) ?? 0;
    if (own >= this.#limits.underWayPerKey) throw new TooManyUnderWay('caller');
    if (this.#inAll >= this.#limits.underWay) throw new TooManyUnderWay('all');
    this.#byCaller.set(caller, own + 1);
    this.#inAll++;
  }

  leave(caller: string): void {
    const own = (this.#byCaller.get(caller) ?? 0) - 1;
    if (own > 0) this.#byCaller.set(caller, own);
    else this.#byCaller.delete(caller);
    this.#inAll--;
  }
}
