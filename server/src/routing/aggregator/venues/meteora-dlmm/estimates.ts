import { NEARLY_END } from '../estimates.js';
import { type RateOf, shareOf } from './fee.js';
import { binsOf, MAX_BINS, type Way } from './trade.js';

/** What a trade does, roughly. */
export interface Estimates {
  /** 0 for more than can be traded. */
  out(amount: number): number;
  /** Infinity for more than there is. */
  in(amount: number): number;
  /** Output per unit of input at the first bin, without the fee; undefined if there is nothing. */
  readonly price: number | undefined;
  /** Output until the price is this many times, or such a part, of what it is. */
  outWithin(factor: number): number;
}

const ONE = 2 ** 64;

/** Within a bin the price is constant, so the amounts grow linearly from bin to bin. */
export function estimatesOf(way: Way, rateOf: RateOf): Estimates {
  const { pair, xToY } = way;
  const [ins, outs, prices] = [[0], [0], [] as number[]];
  for (const each of binsOf(way)) {
    if (!each || prices.length === MAX_BINS) break;
    const { id, bin } = each;
    if (bin.price === 0n) break;
    const ofX = Number(bin.price) / ONE;
    const price = xToY ? ofX : 1 / ofX;
    const paid = bin.layers.reduce((sum, layer) => sum + Number(layer), 0);
    prices.push(price);
    const kept = 1 - shareOf(rateOf(id));
    const isFeeInOutput = pair.feeInY && xToY;
    ins.push(ins.at(-1)! + paid / price / (isFeeInOutput ? 1 : kept));
    outs.push(outs.at(-1)! + paid * (isFeeInOutput ? kept : 1));
  }
  return {
    price: prices[0],
    out: (amount) => along(ins, outs, amount) ?? (amount <= ins.at(-1)! * NEARLY_END ? outs.at(-1)! : 0),
    in: (amount) => along(outs, ins, amount) ?? Number.POSITIVE_INFINITY,
    outWithin(factor) {
      const beyond = prices.findIndex((price) => price * factor < prices[0]!);
      return outs[beyond < 0 ? outs.length - 1 : beyond]!;
    },
  };
}

/** The value at `x` on the line through these points; undefined beyond the last. */
function along(xs: readonly number[], ys: readonly number[], x: number): number | undefined {
  let [low, high] = [0, xs.length - 1];
  if (x > xs[high]!) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < x) low = middle;
    else high = middle;
  }
  if (high === 0) return 0;
  const [from, to] = [xs[low]!, xs[high]!];
  return to === from ? ys[high] : ys[low]! + ((ys[high]! - ys[low]!) * (x - from)) / (to - from);
}
