export { fillsLimitOrders, type LimitOrderDeps } from './deps.js';
export {
  createLimitOrderKeeper,
  type LimitOrderKeeper,
  startLimitOrderKeeper,
} from './keeper.js';
export { LIMIT_ORDER_AREA, limitOrderSettlement } from './settlement.js';
