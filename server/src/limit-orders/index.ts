export { type OpenOrder, readOpenOrders } from './open-orders.js';
export { createLimitOrderIndex, type LimitOrderIndex } from './order-index.js';
