export { createTableKeeper, startTableKeeper, type TableKeeper, type TableKeeperDeps } from './keeper.js';
export { TABLE_AREA, tableSettlement } from './settlement.js';
