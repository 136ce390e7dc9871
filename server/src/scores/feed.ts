import type { EventScore } from '../store/scores.js';

/** Where scores come from. */
export interface ScoreFeed {
  readonly name: string;
  /**
   * Whether one copy at a time reads it: a feed whose updates carry no time of their own is in order only as one
   * reader hears it.
   */
  readonly exclusive: boolean;
  /** From now on, hands every update to `publish`. Nothing happens when it is open already. */
  open(publish: (score: EventScore) => void): void;
  /** Publishes what the clock has brought; a feed that others tell has nothing to do here. */
  due(): void;
  close(): void;
}
