import { AnswerTooLong, ChainUnavailable, Refused } from '../chain/index.js';
import { Outage } from '../errors/index.js';

/** Whether something did not answer that all items need: no fault of the one that was tried, which a node might refuse for what it is. */
export function isAway(error: unknown): boolean {
  if (error instanceof ChainUnavailable) return !(error instanceof Refused || error instanceof AnswerTooLong);
  return error instanceof Outage && ['STORE_UNAVAILABLE', 'SIGNER_UNAVAILABLE'].includes(error.code);
}
