import { type Address, associatedTokenAddress, decodeTokenAccount, holdsSol, WRAPPED_SOL_MINT } from '@slipway/wire';
import { closerOf } from '../../chain/index.js';
import { AppError, type ErrorCode } from '../../errors/index.js';
import { usdValue } from '../../lib/decimal.js';
import { isOfOtherUnits, type NoPrice, type OrderPrice, OTHER_UNITS } from '../../prices/index.js';
import type { TriggerV2Deps } from './deps.js';
import { invalid } from './order-terms.js';
import type { Deposit, VaultToken } from './vault-transactions.js';

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
export function requirePrice(price: OrderPrice | NoPrice, field: MintField, code: ErrorCode): number {
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
  const usd = requirePrice(deps.prices.forNewOrder(mint), 'inputMint', 'CRAFT_FAILED');
  const worth = usdValue(amount, decimals, usd);
  if (worth < LEAST_USD) {
    // Rounded down, so that a refused amount never reads as enough.
    const shown = (Math.floor(worth * 100) / 100).toFixed(2);
    throw new AppError('INVALID_REQUEST', {
      message: `Order must be at least ${LEAST_USD} USD (current value: ${shown} USD)`,
    });
  }
}

/**
 * What an order pays out in the end goes to an account of its wallet, and not every fill can make that anew. Whoever else may close
 * it, as the sponsor of the swap that has made it, can do so while it is empty: one unit keeps it open.
 * @throws AppError INVALID_REQUEST if somebody else may close it once the deposit has landed.
 */
export async function requireKeptOpen(
  { chain }: Pick<TriggerV2Deps, 'chain'>,
  { wallet, input, output, amount, keepsOutput }: Deposit,
): Promise<void> {
  // An OTOCO order sells what it has bought back into the deposited token.
  const [field, token, spent] = keepsOutput
    ? (['inputMint', input, amount] as const)
    : (['outputMint', output, 0n] as const);
  if (token.mint === WRAPPED_SOL_MINT) return;
  const account = associatedTokenAddress(wallet, token.mint, token.tokenProgram);
  const found = await chain.account(account);
  const held = found && decodeTokenAccount(found.data);
  const closer = held?.owner === wallet ? closerOf(held) : undefined;
  if (closer === undefined || held === undefined) return;
  const isOfSol = holdsSol(token.mint);
  if (!isOfSol && held.amount > spent) return;
  const [when, way] = isOfSol
    ? ['with all that is in it', 'Have it closed']
    : [
        'once it is empty',
        'Keep some of the token in it for as long as the order is, the smallest unit will do; or have it closed',
      ];
  throw invalid(
    field,
    `the wallet is paid to its token account ${account}, which ${closer} may close ${when}: the order could wait for good. ${way}: the next deposit makes one that only the wallet can close`,
  );
}
