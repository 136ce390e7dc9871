import { AppError, requireAddress } from '../../errors/index.js';
import { chainInfo, type SandboxDeps } from './deps.js';
import type { PriceAnswer, PriceBody } from './schema.js';

/** Moves the price of a token of this sandbox. */
export async function setPrice({ chain, prices }: SandboxDeps, { mint, usd }: PriceBody): Promise<PriceAnswer> {
  const address = requireAddress('mint', mint);
  const { mints } = await chainInfo(chain);
  if (!mints.some((each) => each.mint === address)) {
    throw new AppError('NOT_FOUND', {
      message: 'mint: unknown here; GET /sandbox/info lists the mints that have a price',
    });
  }
  await prices.set(address, usd);
  return { mint: address, usd };
}
