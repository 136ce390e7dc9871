export type { TriggerKeeperDeps } from './deps.js';
export { createTriggerKeeper, startTriggerKeeper, type TriggerKeeper } from './keeper.js';
export { overtakenOrdersChore } from './overtaken-orders.js';
export { RENT_AREA, rentSettlement } from './rents.js';
export { FILL_AREA, fillSettlement } from './settlement.js';
