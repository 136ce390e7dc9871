import type { Chain } from '../chain/index.js';
import { failureAtOnce } from './preflight.js';

/** How often a transaction is sent again. */
export interface Resending {
  /** It is sent before what clients post, and at once where it is refused. */
  goesFirst?: true;
  /** Milliseconds until a transaction is sent again, after it was sent `times` times. */
  resendAfterMs(times: number): number;
  /** How many times it is sent before that is asked: */
  unasked: number;
  /**
   * Whether a transaction deserves to be sent again. Asked until it does: after a no, once more the next time, and then after twice as
   * many times as before. @throws ChainUnavailable
   */
  isWorthResending(wire: Uint8Array): Promise<boolean>;
}

/** How closely a tracker follows. */
export interface Pace extends Resending {
  /** Milliseconds from one question about all transactions to the next. */
  pollMs: number;
  /** The most transactions that are looked at more closely, and sent again, with one poll. */
  maxResends: number;
  /** The most payers whose transactions a node is asked to list with one poll, because a status may be that of another transaction. */
  maxLooks: number;
  /** Of these that stand behind newer ones, by lists that are longer, or whose lists it refuses, by reading, with one poll. */
  maxLongLooks: number;
  /** The most that it is asked to list at the same time; a tenth as many longer ones, and ones that are read. */
  looksAtOnce: number;
}

/** For transactions that we have tried out, and that somebody waits for. */
export const CLOSE: Pace = {
  pollMs: 400,
  resendAfterMs: () => 2_000,
  maxResends: Number.POSITIVE_INFINITY,
  maxLooks: 50,
  maxLongLooks: 3,
  looksAtOnce: 100,
  unasked: Number.POSITIVE_INFINITY,
  isWorthResending: async () => true,
};

/** For what the keepers send, among those. */
export const OWN: Resending = { ...CLOSE, goesFirst: true };

/** For what can land no more, and of which the node cannot tell whether it has. */
export const AT_REST: Resending = {
  resendAfterMs: () => 60_000,
  unasked: 0,
  isWorthResending: async () => false,
};

/** For what another may land, and we do not send: when it is dead is asked as often as of what is sent again. */
export const UNSENT: Resending = {
  resendAfterMs: () => 2_000,
  unasked: 0,
  isWorthResending: async () => false,
};

/** What can land has mostly done so after as many. */
const POSTED_UNASKED = 3;

/**
 * For what clients post, among those. It would land when it was tried out, but its wallet may have spent the same money
 * in many of them, of which one lands, or none.
 */
export function posted(chain: Chain): Resending {
  return {
    resendAfterMs: (times) => (times < POSTED_UNASKED ? 2_000 : 4_000),
    unasked: POSTED_UNASKED,
    isWorthResending: (wire) => wouldSucceed(chain, wire),
  };
}

const LONGEST_BACKOFF_MS = 16_000;

/**
 * For transactions of strangers, who may send what never lands. What fails as the chain is now may depend on something
 * that is still under way: it was sent once, and is followed without being sent again until it would succeed.
 */
export function leisurely(chain: Chain): Pace {
  return {
    pollMs: 1_000,
    resendAfterMs: (times) => Math.min(1_000 * 2 ** times, LONGEST_BACKOFF_MS),
    maxResends: 50,
    maxLooks: 50,
    maxLongLooks: 8,
    looksAtOnce: 100,
    unasked: 1,
    isWorthResending: (wire) => wouldSucceed(chain, wire),
  };
}

/** Also if it is on the chain already, or that cannot be told. */
async function wouldSucceed(chain: Chain, wire: Uint8Array): Promise<boolean> {
  return (await failureAtOnce(chain, wire, null)) === undefined;
}
