import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { usdValue } from '../../lib/decimal.js';
import type { TriggerV2Deps } from './deps.js';
import { explainMissingPrice } from './order-terms.js';
import type { VaultToken } from './vault-transactions.js';

/** The minimum value of an order, in USD. */
const LEAST_USD = 10;

/** @throws AppError INVALID_REQUEST for a pair that no order can trade. */
export function requirePair({ stables }: TriggerV2Deps, inputMint: Address, outputMint: Address): void {
  if (inputMint === outputMint) {
    throw new AppError('INVALID_REQUEST', { message: 'Input mint and output mint cannot be the same' });
  }
  if (stables.has(inputMint) && stables.has(outputMint)) {
    throw new AppError('INVALID_REQUEST', { message: 'Mint pair is not supported' });
  }
}

/** @throws AppError INVALID_REQUEST if the amount is worth too little, CRAFT_FAILED if its price is unknown. */
export function requireWorth({ prices }: TriggerV2Deps, { mint, decimals }: VaultToken, amount: bigint): void {
  const usd = prices.usd(mint);
  if (usd === undefined) {
    const why = explainMissingPrice(prices, mint);
    throw new AppError('CRAFT_FAILED', { message: `Failed to fetch the price of inputMint: ${why}` });
  }
  const worth = usdValue(amount, decimals, usd);
  if (worth < LEAST_USD) {
    // Rounded down, so that a refused amount never reads as enough.
    const shown = (Math.floor(worth * 100) / 100).toFixed(2);
    throw new AppError('INVALID_REQUEST', {
      message: `Order must be at least ${LEAST_USD} USD (current value: ${shown} USD)`,
    });
  }
}
