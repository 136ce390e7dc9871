export { followClockOffset } from './clock-offset.js';
export { groupCalls } from './group-calls.js';
export { assertIdentity } from './identity.js';
export { findRequests, insertCrafted, type LedgerRow, type NewRequest } from './ledger.js';
export { createLimiter } from './limiter.js';
export { openStore } from './open-store.js';
export { type Sql, type Store, StoreUnavailable, type Tx } from './sql.js';
export { kindsOf, type VerificationKind } from './verifications.js';
