export { accept, isRefusal, type Refusal } from './accept.js';
export { askSince } from './ask-since.js';
export { broadcastFirst, NotAccepted } from './broadcast.js';
export { lastCalls } from './calls.js';
export { CannotLand } from './can-land.js';
export type { Deliver, Delivery } from './delegated-send.js';
export type { LandingDeps } from './deps.js';
export {
  EXPIRED,
  type Explanation,
  explain,
  explainEnd,
  failedFloor,
  failedIndex,
  failedProgram,
  SLIPPAGE,
} from './explain.js';
export { type Claimed, ReservationRefused, type Settlement } from './grouped-writes.js';
export { Landing } from './landing.js';
export { type Deaths, isSince, lifetimeByHeight, newDeaths } from './lifetime.js';
export { whyNotPaid } from './paid.js';
export { addressText, digits, payloadReader } from './payload.js';
export { WouldFail } from './preflight.js';
export { GAS_PURSE, INVITE_PURSE, LIMIT_ORDER_PURSE, TRIGGER_ORDER_PURSE, TRIGGER_RENT_PURSE } from './purses.js';
export { askedBy, type CraftedRequest, calledBy, newRequest, rememberOwn } from './request.js';
export { sealed } from './seal.js';
export {
  type BadTransaction,
  checkSignatures,
  explainBadTransaction,
  isBadTransaction,
  readSigned,
  type SignedTransaction,
} from './signed-transaction.js';
export { isOutOfUnits, speaksAgainstPools, suspectHops } from './suspects.js';
export { createTracker } from './tracker.js';
export { type SeenUnits, type TryOutChain, tryOut, tryOutSwap, usualBudget, type Working } from './try-out.js';
