import { requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type StudioDeps, studioRoute, tags } from './deps.js';

import { requirePool } from './pool-state.js';
import { FeeAnswer, FeeBody } from './schema.js';

export function registerShowFees(app: TypedServer, deps: StudioDeps): void {
  app.post(
    '/studio/v1/dbc/fee',
    {
      config: studioRoute,
      schema: {
        tags,
        summary: "A creator's trading fees",
        description: 'In the smallest unit of the quote token.',
        body: FeeBody,
        response: { 200: FeeAnswer },
      },
    },
    (request) => showFees(calledBy(deps, request), request.body),
  );
}

/** What the creator has earned from trades on a pool's curve, read from the chain. */
export async function showFees(deps: StudioDeps, body: FeeBody): Promise<FeeAnswer> {
  const { state, config } = await requirePool(deps, requireAddress('poolAddress', body.poolAddress));
  // May be a few units less: the program splits the fee of each trade, and this splits their sum.
  const share = BigInt(config.creatorTradingFeePercentage);
  return {
    unclaimed: state.creatorQuoteFee.toString(),
    total: ((state.totalTradingQuoteFee * share) / 100n).toString(),
  };
}
