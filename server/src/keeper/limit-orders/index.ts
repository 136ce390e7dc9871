export { fillsLimitOrders, type LimitOrderDeps } from './deps.js';
export {
  createLimitOrderKeeper,
  LIMIT_ORDER_AREA,
  type LimitOrderKeeper,
  limitOrderSettlement,
  startLimitOrderKeeper,
} from './keeper.js';
