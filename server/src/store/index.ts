export { followClockOffset } from './clock-offset.js';
export { createGroupWriter } from './group-writer.js';
export { assertIdentity } from './identity.js';
export { insertCrafted, type LedgerRow, type NewRequest } from './ledger.js';
export { createLimiter } from './limiter.js';
export { openStore } from './open-store.js';
export { type Sql, type Store, StoreUnavailable, type Tx } from './sql.js';
