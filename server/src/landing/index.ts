export { NotAccepted } from './broadcast.js';
export { EXPIRED, type Explanation, explain, explainEnd, failedFloor, failedProgram, SLIPPAGE } from './explain.js';
export { type AreaHooks, type Claimed, ReservationRefused } from './grouped-writes.js';
export type { Deliver, Delivery } from './delegated-send.js';
export { createLanding, type Landing, type LandingDeps } from './landing.js';
export { lifetimeOf } from './lifetime.js';
export { WouldFail } from './preflight.js';
export { checkAgainstCrafted, checkSignatures, isRefusal, type Posted, type Refusal, readPosted } from './signed-transaction.js';
