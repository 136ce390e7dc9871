import type { Chain } from '../chain/index.js';
import { preflight } from './preflight.js';

/** How closely a tracker follows. */
export interface Pace {
  /** Milliseconds from one question about all transactions to the next. */
  pollMs: number;
  /** Milliseconds until a transaction is sent again, after it was sent `times` times. */
  resendAfterMs(times: number): number;
  /** The most transactions that are looked at more closely, and sent again, with one poll. */
  maxResends: number;
  /** Whether a transaction deserves to be sent again. Asked until it is known. @throws ChainUnavailable */
  isWorthResending(wire: Uint8Array): Promise<boolean>;
}

/** For transactions that we have tried out, and that somebody waits for. */
export const CLOSE: Pace = {
  pollMs: 400,
  resendAfterMs: () => 2_000,
  maxResends: Number.POSITIVE_INFINITY,
  isWorthResending: async () => true,
};

const LONGEST_BACKOFF_MS = 16_000;

/**
 * For transactions of strangers, who may send what never lands. What fails as the chain is now may depend on something
 * that is still under way: it was sent once, and is followed without being sent again.
 */
export function leisurely(chain: Chain): Pace {
  return {
    pollMs: 1_000,
    resendAfterMs: (times) => Math.min(1_000 * 2 ** times, LONGEST_BACKOFF_MS),
    maxResends: 50,
    isWorthResending: async (wire) => (await preflight(chain, wire, null)) === undefined,
  };
}
