import { GAS_PURSE, type Settlement } from '../../landing/index.js';

/** Sponsored orders are sent only while the gas wallet's losses stay within their bounds. */
export const swapSettlement: Settlement = { keys: ['gas'], purse: GAS_PURSE };
