import type { EventScore } from '../store/scores.js';

/** Where scores come from. */
export interface ScoreFeed {
  readonly name: string;
  /**
   * Whether only one instance at a time reads it: updates that carry no time of their own are in order only for a
   * single reader.
   */
  readonly exclusive: boolean;
  /** Hands every update to `publish` from now on. A no-op if it is already open. */
  open(publish: (score: EventScore) => void): void;
  /** Publishes what is due by the clock; a no-op for a feed that receives its updates. */
  due(): void;
  close(): void;
}
