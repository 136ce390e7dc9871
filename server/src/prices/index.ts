export { openPrices } from './open.js';
export type { PoolSource } from './pool-prices.js';
export {
  isOfOtherUnits,
  type NoPrice,
  type OrderPrice,
  OTHER_UNITS,
  type PricedToken,
  type PriceFeed,
  type PriceQuote,
  type Prices,
  trustedUsd,
  uncontradictedUsd,
} from './price.js';
export { createSandboxPrices, type SandboxPrices } from './sandbox.js';
export { type Drift, startDrift } from './simulated.js';
