const SLOT_MS = 400;

/** What a chain's time is made of; persisted. All in milliseconds. */
export interface ClockState {
  firstSlot: bigint;
  /** Chain time at which the first slot began. */
  startMs: number;
  /** Chain time less wall time. */
  offsetMs: number;
}

/** The chain's time: a slot every 400 ms of wall time plus an offset that only grows. It never goes back. */
export class ChainClock {
  readonly #now: () => number;
  readonly #state: ClockState;
  #slot: bigint;

  /** `lastSlot` is the highest slot that was seen before. */
  constructor(state: ClockState, lastSlot: bigint, now: () => number) {
    this.#now = now;
    this.#state = { ...state };
    this.#slot = lastSlot;
    this.update();
  }

  get state(): ClockState {
    return { ...this.#state };
  }

  get slot(): bigint {
    return this.#slot;
  }

  /** Unix seconds at the beginning of the current slot. */
  get unixTimestamp(): bigint {
    return this.blockTime(this.#slot);
  }

  /** Unix seconds at the beginning of a slot. */
  blockTime(slot: bigint): bigint {
    const { firstSlot, startMs } = this.#state;
    return BigInt(Math.floor((startMs + Number(slot - firstSlot) * SLOT_MS) / 1000));
  }

  /** Moves on to the slot that the wall clock tells; answers whether it is another one. */
  update(): boolean {
    const { firstSlot, startMs, offsetMs } = this.#state;
    const slot = firstSlot + BigInt(Math.floor((this.#now() + offsetMs - startMs) / SLOT_MS));
    if (slot <= this.#slot) return false;
    this.#slot = slot;
    return true;
  }

  /** Moves ahead by at least this many seconds, in whole slots; returns by how many milliseconds. */
  advance(seconds: number): number {
    const slots = Math.ceil((seconds * 1000) / SLOT_MS);
    const target = this.#slot + BigInt(slots);
    this.#state.offsetMs += slots * SLOT_MS;
    this.update();
    // Where the wall clock is behind (it was set back), the chain still moves by what was asked.
    if (this.#slot < target) {
      const { firstSlot, startMs } = this.#state;
      this.#state.offsetMs = startMs + Number(target - firstSlot) * SLOT_MS - this.#now();
      this.update();
    }
    return slots * SLOT_MS;
  }
}
