import { loadConfig } from '../config/index.js';

/** The rules that hold where the operator sets none. */
export const { prices: DEFAULT_PRICES, triggerOrders: DEFAULT_TRIGGER_ORDERS } = loadConfig(
  {},
  { cwd: import.meta.dirname },
);
