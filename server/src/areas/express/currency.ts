import { WRAPPED_SOL_MINT } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { ConfiguredToken, ExpressDeps } from './deps.js';
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

const SOL: ConfiguredToken = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 };

/** The token that a payment takes from its sender; SOL as its wrapped form. */
export function paidIn(
  { platform, stable, usdc }: Pick<ExpressDeps, 'platform' | 'stable' | 'usdc'>,
  currency: Currency,
): ConfiguredToken {
  return { PLATFORM_TOKEN: platform, PLATFORM_STABLE: stable, USDC: { ...usdc, symbol: 'USDC' }, SOL }[currency];
}
