export { NotAccepted } from './broadcast.js';
export { EXPIRED, type Explanation, explain } from './explain.js';
export {
  type AreaHooks,
  type Claimed,
  createLanding,
  type Landing,
  type LandingDeps,
  ReservationRefused,
} from './landing.js';
export { lifetimeOf } from './lifetime.js';
export { WouldFail } from './obstacle.js';
export { checkAgainstCrafted, checkSignatures, isRefusal, type Posted, type Refusal, readPosted } from './posted.js';
