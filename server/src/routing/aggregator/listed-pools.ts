import type { Address } from '@slipway/wire';
import { deepestPools } from './deepest.js';
import type { Pools } from './pools.js';

/** One of a pool's two tokens. */
export interface ListedSide {
  mint: Address;
  /** Undefined where the mint has not been read. */
  decimals: number | undefined;
  /** How much of it can be traded, roughly, in its smallest unit; undefined where nobody can trade with the pool now. */
  reserve: number | undefined;
}

/** A pool that is watched, and what it says now. */
export interface ListedPool {
  address: Address;
  venue: string;
  sides: readonly [ListedSide, ListedSide];
  /** Whole units of the second token for one of the first, without the fee. */
  price: number | undefined;
  /** The share of a trade that the pool and its owner keep, roughly: 0 to 1. */
  feeShare: number | undefined;
  /** Why nobody can trade with it; undefined where somebody can. */
  refusal: string | undefined;
}

/** Pools of a token, or of all, as they are at this steady time: the deepest first, those without a state last. */
export function listPools(pools: Pools, now: number, { mint, most }: { mint: Address | undefined; most: number }) {
  const watched = pools.market().pools.filter(({ mints }) => mint === undefined || mints.includes(mint));
  const open = watched.flatMap((pool) => {
    const state = pool.state(now);
    return state ? [{ pool, state }] : [];
  });
  const known = new Map(open.map((each) => [each.pool, each.state]));
  const ordered = [...deepestPools(open, most).map(({ pool }) => pool), ...watched.filter((pool) => !known.has(pool))];
  const listed = ordered.slice(0, most).map((pool): ListedPool => {
    const state = known.get(pool);
    const decimals = pool.mints.map((each) => pools.knownMint(each)?.decimals);
    const side = (index: 0 | 1): ListedSide => ({
      mint: pool.mints[index],
      decimals: decimals[index],
      reserve: state?.reserves[index],
    });
    const [first, second] = decimals;
    const isPriced = state !== undefined && first !== undefined && second !== undefined;
    return {
      address: pool.address,
      venue: pool.venue.label,
      sides: [side(0), side(1)],
      price: isPriced ? state.price(0) * 10 ** (first - second) : undefined,
      feeShare: state?.feeShare,
      refusal: state ? undefined : (pool.refusal(now) ?? 'its accounts are being read'),
    };
  });
  return { pools: listed, count: watched.length };
}
