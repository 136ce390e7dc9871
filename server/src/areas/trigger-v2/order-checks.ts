import type { Address } from '@slipway/wire';
import { AppError, type ErrorCode } from '../../errors/index.js';
import { usdValue } from '../../lib/decimal.js';
import { isOfOtherUnits, OTHER_UNITS } from '../../prices/index.js';
import type { TriggerV2Deps } from './deps.js';
import { invalid } from './order-terms.js';
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

type MintField = 'inputMint' | 'outputMint' | 'triggerMint';

/**
 * A price that an order can be made with, in USD for one whole token.
 * @throws AppError INVALID_REQUEST if the token's pools hold too little for orders, `code` if there is no price now.
 */
export function requirePrice(
  { prices }: Pick<TriggerV2Deps, 'prices'>,
  [field, mint]: readonly [MintField, Address],
  code: ErrorCode,
): number {
  const price = prices.forNewOrder(mint);
  if (!('none' in price)) return price.usd;
  if (price.none === 'shallow') throw invalid(field, price.why);
  const what = field === 'triggerMint' ? 'the trigger mint price' : `the price of ${field}`;
  throw new AppError(code, { message: `Failed to fetch ${what}: ${price.why}` });
}

/** @throws AppError INVALID_REQUEST if the token's pools hold too little for orders. Without a price, an order waits. */
export function requireDepth({ prices }: Pick<TriggerV2Deps, 'prices'>, [field, mint]: readonly [MintField, Address]) {
  const price = prices.forNewOrder(mint);
  if ('none' in price && price.none === 'shallow') throw invalid(field, price.why);
}

/**
 * A feed says what a unit is worth as wallets show it, and orders go by units as accounts hold them.
 * @throws AppError INVALID_REQUEST if those are not the same.
 */
export async function requireSameUnits(
  { prices, chain }: Pick<TriggerV2Deps, 'prices' | 'chain'>,
  [field, mint]: readonly [MintField, Address],
): Promise<void> {
  const facts = await chain.mint(mint);
  if (facts && isOfOtherUnits(prices.forNewOrder(mint), facts)) throw invalid(field, OTHER_UNITS);
}

/** @throws AppError INVALID_REQUEST if the amount is worth too little, and as `requirePrice`. */
export function requireWorth(deps: TriggerV2Deps, { mint, decimals }: VaultToken, amount: bigint): void {
  const usd = requirePrice(deps, ['inputMint', mint], 'CRAFT_FAILED');
  const worth = usdValue(amount, decimals, usd);
  if (worth < LEAST_USD) {
    // Rounded down, so that a refused amount never reads as enough.
    const shown = (Math.floor(worth * 100) / 100).toFixed(2);
    throw new AppError('INVALID_REQUEST', {
      message: `Order must be at least ${LEAST_USD} USD (current value: ${shown} USD)`,
    });
  }
}
