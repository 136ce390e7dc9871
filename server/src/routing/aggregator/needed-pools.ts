import type { Address } from '@slipway/wire';
import { deepestPools } from './deepest.js';
import { fairShare } from './shares.js';
import type { PoolState } from './venue.js';

interface KnownPool {
  readonly mints: readonly [Address, Address];
  /** By the bytes that were read last. */
  lastState(): PoolState | undefined;
}

/**
 * The pools that price and fill open orders: each token's deepest, and those between hubs. Where there is too little room,
 * each token has as much as any other, for anybody makes ever more pools of his own; of too many tokens the first ones.
 */
export function neededPools<P extends KnownPool>(
  pools: readonly P[],
  wanted: { mints: readonly Address[]; hubs: ReadonlySet<Address>; most: number },
): P[] {
  // One of each at least, beside those between hubs.
  const kept = new Set(wanted.mints.filter((mint) => !wanted.hubs.has(mint)).slice(0, wanted.most - 1));
  const open = pools.flatMap((pool) => {
    if (!pool.mints.every((mint) => kept.has(mint) || wanted.hubs.has(mint))) return [];
    const state = pool.lastState();
    return state ? [{ pool, state, token: pool.mints.find((mint) => kept.has(mint)) }] : [];
  });
  const counts = new Map<Address | undefined, number>();
  for (const { token } of open) counts.set(token, (counts.get(token) ?? 0) + 1);
  const share = fairShare([...counts.values()], wanted.most);
  const taken = new Map<Address | undefined, number>();
  return deepestPools(open, open.length).flatMap(({ pool, token }) => {
    const number = taken.get(token) ?? 0;
    taken.set(token, number + 1);
    return number < share ? [pool] : [];
  });
}
