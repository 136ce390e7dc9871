import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { PoolState } from './venue.js';

/**
 * The deepest pools, deepest first. A pool counts for the lesser of its two sides, valued in SOL by the deepest pool
 * that the token shares with SOL. No side counts for more than the SOL in that pool, so that somebody who creates a
 * token cannot make its pools look deep.
 */
export function deepestPools<P extends { state: PoolState }>(pools: readonly P[], most: number): P[] {
  const anchors = new Map<Address, { sol: number; other: number }>();
  for (const { state } of pools) {
    for (const side of [0, 1] as const) {
      const [own, other] = [state.tokens[side].mint, state.tokens[side === 0 ? 1 : 0].mint];
      const [reserve, sol] = [state.reserves[side], state.reserves[side === 0 ? 1 : 0]];
      if (other !== WRAPPED_SOL_MINT || sol <= (anchors.get(own)?.sol ?? 0)) continue;
      anchors.set(own, { sol, other: reserve });
    }
  }
  const worthOf = ({ tokens, reserves }: PoolState, side: 0 | 1): number => {
    const { mint } = tokens[side];
    if (mint === WRAPPED_SOL_MINT) return reserves[side];
    const anchor = anchors.get(mint);
    return anchor ? Math.min((reserves[side] * anchor.sol) / anchor.other, anchor.sol) : 0;
  };
  return pools
    .map((pool) => ({ pool, worth: Math.min(worthOf(pool.state, 0), worthOf(pool.state, 1)) }))
    .sort((a, b) => b.worth - a.worth)
    .slice(0, most)
    .map(({ pool }) => pool);
}
