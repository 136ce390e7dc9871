/** The only source of time in the service. Unix milliseconds; in a sandbox it may run ahead of the wall clock. */
export interface Clock {
  now(): number;
}

/** The most milliseconds that the clock of a price's source may be ahead of ours. */
export const MAX_AHEAD_MS = 5_000;

export interface AdjustableClock extends Clock {
  /** Milliseconds that this clock runs ahead of the wall clock. */
  readonly offsetMs: number;
  setOffset(milliseconds: number): void;
}

export function createClock(): AdjustableClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    get offsetMs() {
      return offset;
    },
    setOffset(milliseconds) {
      offset = milliseconds;
    },
  };
}

/**
 * Unix milliseconds that never step back and that no sandbox clock moves: for cache ages and durations.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds for which this thread has had something to do, and did not wait for anything, since it began. */
export function busyNow(): number {
  return performance.eventLoopUtilization().active;
}
