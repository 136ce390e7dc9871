import type { LimitOrder } from '@slipway/programs';
import { fillFor, isShared, type Market } from './plan.js';

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
   * False where the whole order would not pay for `cost` even at the price of a smaller size that orders share: the smaller,
   * the better the price. Most orders are for a price far away. `exact` answers nothing for an amount that tells too little
   * of the price; of one so small it is asked whether more than it brings anything beyond the cost.
   */
  async mayPay(order: LimitOrder, markets: { any: Market; exact: Market }, cost: bigint): Promise<boolean> {
    const { makingAmount } = order;
    let size = 1n;
    while (size * 2n <= makingAmount) size *= 2n;
    const out = await this.#ask('exact', order, size, markets.exact);
    if (out === undefined) {
      const most = await this.#ask('any', order, size * 2n, markets.any);
      return most === undefined || most > cost;
    }
    const most = ((out + 1n) * makingAmount * (100n + MARGIN)) / (size * 100n);
    return fillFor(order, makingAmount, most, cost) !== undefined;
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
