import type { LimitOrder } from '@slipway/programs';
import { fillFor, type Market, smallestPart } from './plan.js';

/** How long what a market gives at best is believed, in milliseconds. */
const KEPT_MS = 2_000;
/** Parts are asked for in sizes that differ by this factor, so that orders of many sizes share a few questions. */
const SIZE = 8n;
/** What a smaller part may seem to give too little, in percent: by rounding, and by a route over fewer pools. */
const MARGIN = 2n;

/**
 * What markets give at best: for a part that is no larger than any that is filled, because the smaller, the better the
 * price. Most orders are for a price far away, and one question tells that of all for the same tokens.
 */
export class BestPrices {
  readonly #steadyNow: () => number;
  readonly #known = new Map<string, { out: bigint | undefined; at: number }>();

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  /**
   * False where not even the whole order would pay for `cost` if all of it had the best price. `market` answers nothing for
   * an amount that tells too little of the price.
   */
  async mayPay(order: LimitOrder, market: Market, cost: bigint): Promise<boolean> {
    const { inputMint, outputMint, makingAmount } = order;
    const part = sizeBelow(smallestPart(order));
    const key = `${inputMint} ${outputMint} ${part}`;
    let known = this.#known.get(key);
    if (!known || this.#steadyNow() - known.at >= KEPT_MS) {
      known = { out: await market(part), at: this.#steadyNow() };
      this.#known.set(key, known);
    }
    if (known.out === undefined) return true;
    const most = ((known.out + 1n) * makingAmount * (100n + MARGIN)) / (part * 100n);
    return fillFor(order, makingAmount, most, cost) !== undefined;
  }
}

function sizeBelow(amount: bigint): bigint {
  let size = 1n;
  while (size * SIZE <= amount) size *= SIZE;
  return size;
}
