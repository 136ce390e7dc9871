import type { Address } from '@slipway/wire';
import type { Leg } from './market.js';
import type { Pools } from './pools.js';

/** See `Metis.spot`. Over the deepest pool of the pair, or else over one token between. */
export function spotPrice(
  { pools, now }: { pools: Pools; now: number },
  mint: Address,
  inMint: Address,
): number | undefined {
  const [from, to] = [pools.knownMint(mint), pools.knownMint(inMint)];
  if (!from || !to) return undefined;
  for (const { steps } of pools.market().paths(mint, inMint)) {
    if (steps.length > 2) break;
    const prices = steps.map((legs) => deepestPrice(legs, now));
    if (!prices.every((price) => price !== undefined)) continue;
    return prices.reduce((product, price) => product * price, 1) * 10 ** (from.decimals - to.decimals);
  }
  return undefined;
}

function deepestPrice(legs: readonly Leg[], now: number): number | undefined {
  for (const { pool, from } of legs) {
    const state = pool.state(now);
    if (state) return state.price(from);
  }
  return undefined;
}
