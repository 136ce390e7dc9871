export { NotAccepted } from './broadcast.js';
export type { Deliver, Delivery } from './delegated-send.js';
export { EXPIRED, type Explanation, explain, explainEnd, failedFloor, failedProgram, SLIPPAGE } from './explain.js';
export { type Claimed, ReservationRefused, type Settlement } from './grouped-writes.js';
export { createLanding, type Landing, type LandingDeps } from './landing.js';
export { lifetimeOf } from './lifetime.js';
export { WouldFail } from './preflight.js';
export { type CraftedRequest, newRequest, rememberOwn } from './request.js';
export {
  checkAgainstCrafted,
  checkSignatures,
  isRefusal,
  type Refusal,
  readSigned,
  type SignedTransaction,
} from './signed-transaction.js';
