import { NEARLY_END } from '../estimates.js';
import type { Bin } from './accounts.js';
import { type RateOf, shareOf } from './fee.js';
import { binsOf, MAX_BINS, type Way, wholeBin } from './trade.js';

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

/** Of a trade, over as many bins as it may have, each in whole units: what many of them round away is not there. */
export const estimatesOf = (way: Way, rateOf: RateOf): Estimates =>
  along(way, MAX_BINS, (id, bin) => {
    const whole = wholeBin(way, bin, rateOf(id));
    return whole && { paid: Number(whole.amountIn), received: Number(whole.amountOut) };
  });

/** Of all that is there, at one fee: anybody can put dust into another's empty bins, and takes none of its depth by that. */
export const depthOf = (way: Way, rate: bigint): Estimates => {
  const kept = 1 - shareOf(rate);
  const isFeeInOutput = way.pair.feeInY && way.xToY;
  return along(way, Number.POSITIVE_INFINITY, (_, bin) => {
    const out = bin.layers.reduce((sum, layer) => sum + Number(layer), 0);
    const net = out / priceOf(way, bin);
    return isFeeInOutput ? { paid: net, received: out * kept } : { paid: net / kept, received: out };
  });
};

/** Output per unit of input. */
function priceOf({ xToY }: Way, { price }: Bin): number {
  const ofX = Number(price) / ONE;
  return xToY ? ofX : 1 / ofX;
}

/** Within a bin the price is constant, so the amounts grow linearly from bin to bin. */
function along(
  way: Way,
  most: number,
  wholeOf: (id: number, bin: Bin) => { paid: number; received: number } | undefined,
): Estimates {
  const [ins, outs, prices] = [[0], [0], [] as number[]];
  for (const each of binsOf(way)) {
    if (!each || prices.length === most || each.bin.price === 0n) break;
    const whole = wholeOf(each.id, each.bin);
    if (!whole) break;
    prices.push(priceOf(way, each.bin));
    ins.push(ins.at(-1)! + whole.paid);
    outs.push(outs.at(-1)! + whole.received);
  }
  return {
    price: prices[0],
    out: (amount) => valueAt(ins, outs, amount) ?? (amount <= ins.at(-1)! * NEARLY_END ? outs.at(-1)! : 0),
    in: (amount) => valueAt(outs, ins, amount) ?? Number.POSITIVE_INFINITY,
    outWithin(factor) {
      const beyond = prices.findIndex((price) => price * factor < prices[0]!);
      return outs[beyond < 0 ? outs.length - 1 : beyond]!;
    },
  };
}

/** The value at `x` on the line through these points; undefined beyond the last. */
function valueAt(xs: readonly number[], ys: readonly number[], x: number): number | undefined {
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
