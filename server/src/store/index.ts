export { followClockOffset } from './clock-offset.js';
export { type GroupedLedger, groupedLedger, groupedScores } from './grouped.js';
export { assertIdentity } from './identity.js';
export type { LedgerRow } from './ledger.js';
export { createLimiter } from './limiter.js';
export { openStore } from './postgres/open-store.js';
export { initialSetting } from './settings.js';
export { type Sql, type Store, StoreUnavailable, type Tx } from './sql.js';
