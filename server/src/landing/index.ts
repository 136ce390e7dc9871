export { NotAccepted } from './broadcast.js';
export { EXPIRED, type Explanation, explain } from './explain.js';
export {
  createLanding,
  type Landing,
  type LandingDeps,
  ReservationRefused,
  type Reserve,
  type SettleHook,
  WouldFail,
} from './landing.js';
export { lifetimeOf } from './lifetime.js';
export { checkAgainstCrafted, checkSignatures, isRefusal, type Posted, type Refusal, readPosted } from './posted.js';
