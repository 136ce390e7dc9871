export { fillsLimitOrders, type LimitOrderDeps } from './deps.js';
export {
  createLimitOrderKeeper,
  KEEPER_LEAST_LAMPORTS,
  LIMIT_ORDER_AREA,
  type LimitOrderKeeper,
  startLimitOrderKeeper,
} from './keeper.js';
