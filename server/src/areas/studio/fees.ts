import { requireAddress } from '../../errors/index.js';
import type { StudioDeps } from './deps.js';
import { requirePool } from './pool-state.js';
import type { FeeAnswer, FeeBody } from './schema.js';

/** What the trades on a pool's curve have earned its creator, read from the chain. */
export async function showFees(deps: StudioDeps, body: FeeBody): Promise<FeeAnswer> {
  const { state, config } = await requirePool(deps, requireAddress('poolAddress', body.poolAddress));
  // Rounded up: the operator's part of each trade is rounded down.
  const share = BigInt(config.creatorTradingFeePercentage);
  return {
    unclaimed: state.creatorQuoteFee.toString(),
    total: ((state.totalTradingQuoteFee * share) / 100n).toString(),
  };
}
