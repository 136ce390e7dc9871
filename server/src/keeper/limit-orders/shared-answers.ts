import type { LimitOrder } from '@slipway/programs';
import { fillFor, isShared, type Market, smallestPart } from './plan.js';

/** How long an answer of a market is believed, in milliseconds. */
const KEPT_MS = 2_000;
/** The best price is asked for in sizes that differ by this factor, so that orders of many sizes share a few questions. */
const SIZE = 8n;
/** What a smaller part may seem to give too little, in percent: by rounding, and by a route over fewer pools. */
const MARGIN = 2n;

type Tokens = Pick<LimitOrder, 'inputMint' | 'outputMint'>;

/** What markets have answered in this turn, for all orders for the same tokens: anybody opens ever more of them. */
export class SharedAnswers {
  readonly #steadyNow: () => number;
  readonly #known = new Map<string, { out: bigint | undefined; at: number }>();

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
  }

  /**
   * False where not even the whole order would pay for `cost` if all of it had the best price: that for a part no larger
   * than any that is filled, because the smaller, the better the price. Most orders are for a price far away. `market`
   * answers nothing for an amount that tells too little of the price.
   */
  async mayPay(order: LimitOrder, market: Market, cost: bigint): Promise<boolean> {
    const { makingAmount } = order;
    const part = sizeBelow(smallestPart(order));
    const out = await this.#ask('best', order, part, market);
    if (out === undefined) return true;
    const most = ((out + 1n) * makingAmount * (100n + MARGIN)) / (part * 100n);
    return fillFor(order, makingAmount, most, cost) !== undefined;
  }

  /** The same market, which is asked once for each size that orders share. */
  of(order: Tokens, market: Market): Market {
    return (amount) => (isShared(amount) ? this.#ask('any', order, amount, market) : market(amount));
  }

  async #ask(
    what: string,
    { inputMint, outputMint }: Tokens,
    amount: bigint,
    market: Market,
  ): Promise<bigint | undefined> {
    const key = `${what} ${inputMint} ${outputMint} ${amount}`;
    let known = this.#known.get(key);
    if (!known || this.#steadyNow() - known.at >= KEPT_MS) {
      known = { out: await market(amount), at: this.#steadyNow() };
      this.#known.set(key, known);
    }
    return known.out;
  }
}

function sizeBelow(amount: bigint): bigint {
  let size = 1n;
  while (size * SIZE <= amount) size *= SIZE;
  return size;
}
