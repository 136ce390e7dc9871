import type { Address } from '@slipway/wire';

/** USD prices of tokens. */
export interface Prices {
  /** USD for one whole token; undefined when no price is known. */
  usd(mint: Address): number | undefined;
  close(): Promise<void>;
}

/** For a deployment without a price source: fields that need a price are left out of answers. */
export const noPrices: Prices = { usd: () => undefined, close: async () => {} };
export { createSandboxPrices, type SandboxPrices } from './sandbox.js';
