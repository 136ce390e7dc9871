import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { ExpressDeps } from './deps.js';
import { PLACEHOLDERS } from './schema.js';

export type Currency = (typeof PLACEHOLDERS)[number];

/** The operator's symbols for the two placeholders. */
interface CurrencySymbols {
  platform: string;
  stable: string;
}

/** Accepts the literal names and the configured symbols, never a mint address. */
export function readCurrency(name: string, symbols: CurrencySymbols): Currency {
  if (name === symbols.platform) return 'PLATFORM_TOKEN';
  if (name === symbols.stable) return 'PLATFORM_STABLE';
  const placeholder = PLACEHOLDERS.find((each) => each === name);
  if (placeholder) return placeholder;
  const known = [...PLACEHOLDERS, symbols.platform, symbols.stable].join(', ');
  throw new AppError('INVALID_REQUEST', { message: `paymentCurrency: expected one of ${known}` });
}

/** The mint that a payment takes from its sender; SOL as its wrapped form. */
export function mintOf(
  { platform, stable, usdc }: Pick<ExpressDeps, 'platform' | 'stable' | 'usdc'>,
  currency: Currency,
): Address {
  const mints = { PLATFORM_TOKEN: platform.mint, PLATFORM_STABLE: stable.mint, USDC: usdc.mint, SOL: WRAPPED_SOL_MINT };
  return mints[currency];
}
