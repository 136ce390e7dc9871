import type { LimitOrder } from '@slipway/programs';
import { isShared, type Market } from './plan.js';

/** How long an answer of a market is believed, in milliseconds. */
const KEPT_MS = 2_000;
/** What a smaller amount may seem to give too little, in percent: by rounding, and by a route over fewer pools. */
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
   * The most that the whole order may bring, by the price of sizes that orders share: the smaller, the better it is. Most orders
   * are for a price far away. Undefined where the sizes do not tell. `exact` answers nothing for an amount that tells too little
   * of the price: then a larger one brings no less.
   */
  async mostOf(order: LimitOrder, markets: { any: Market; exact: Market }): Promise<bigint | undefined> {
    const { makingAmount } = order;
    let size = 1n;
    while (size * 2n <= makingAmount) size *= 2n;
    const out = await this.#ask('exact', order, size, markets.exact);
    if (out !== undefined) return ((out + 1n) * makingAmount * (100n + MARGIN)) / (size * 100n);
    const larger = await this.#ask('any', order, size * 2n, markets.any);
    if (larger !== undefined) return (larger * (100n + MARGIN)) / 100n + 1n;
    // What is too much in each of both sizes is too much in between.
    return (await this.#ask('any', order, size, markets.any)) === undefined ? 0n : undefined;
  }

  /** The same market, which is asked once for each size that orders share. */
  of(order: Tokens, market: Market): Market {
    return (amount) => (isShared(amount) ? this.#ask('any', order, amount, market) : market(amount));
  }

  async #ask(
    what: 'any' | 'exact',
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
