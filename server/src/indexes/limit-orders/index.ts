export { canReceive, type DecodedOrders, type OpenOrder, readOpenOrders, readOrder } from './open-orders.js';
export { createLimitOrderIndex, type LimitOrderIndex, type LimitOrderIndexDeps } from './order-index.js';
