import { type Effort, WITHOUT_END } from '../../effort.js';
import { ARRAY_BINS, arrayOf, type Bin, type BinArray, type DlmmPair } from './accounts.js';
import { feeOnTop, feeWithin, type RateOf } from './fee.js';

const BITS = 64n;
const U64_MAX = 2n ** 64n - 1n;
/** A trade over more bins uses so many compute units that a transaction has no room for it beside others. */
export const MAX_BINS = 100;

/** Compute units of a bin at least: 6,100 were measured with the program. */
const LEAST_BIN_UNITS = 6_000;

/** What one takes, in microseconds, roughly. */
const BIN = 1;

/** What a trade in one direction passes through. */
export interface Way {
  pair: DlmmPair;
  /** Whether X comes in and Y goes out, so that the price falls. */
  xToY: boolean;
  /** The arrays with liquidity, nearest first; undefined for one that is not known. */
  arrays: readonly (BinArray | undefined)[];
}

interface PairTrade {
  amountOut: bigint;
  /** The fee in the input; if the pair takes it from the output, what that is worth. */
  fee: bigint;
  units: number;
}

/** The bins that have something to pay out, in the order of a trade. Ends with undefined if what follows is unknown. */
export function* binsOf({ pair, xToY, arrays }: Way): Generator<{ id: number; bin: Bin } | undefined> {
  const step = xToY ? -1 : 1;
  for (const array of arrays) {
    if (!array) return yield undefined;
    const edge = xToY ? (array.index + 1) * ARRAY_BINS - 1 : array.index * ARRAY_BINS;
    const first = array.index === arrayOf(pair.activeId) ? pair.activeId : edge;
    for (let id = first; arrayOf(id) === array.index; id += step) {
      const bin = array.bin(id, xToY, pair.hasLimitOrders);
      if (bin) yield { id, bin };
    }
  }
  yield undefined;
}

/** Whether it is known that no bin in this direction has anything to pay out. */
export function isEmpty(way: Way): boolean {
  if (way.arrays.includes(undefined)) return false;
  const first = binsOf(way).next();
  return first.done === true || first.value === undefined;
}

/** Trades all of `amount`; undefined if the program refuses, or would need unknown bins or too many of them. */
export function trade(way: Way, amount: bigint, rateOf: RateOf, effort: Effort = WITHOUT_END): PairTrade | undefined {
  const { pair, xToY } = way;
  const feeOnInput = !(pair.feeInY && xToY);
  let [left, amountOut, fee, count] = [amount, 0n, 0n, 0];
  for (const each of binsOf(way)) {
    if (!each || count === MAX_BINS) return undefined;
    effort.left -= BIN;
    const { id, bin } = each;
    // The program writes the prices when it creates the account.
    if (bin.price === 0n) return undefined;
    const done = tradeAt(bin, { xToY, feeOnInput, rate: rateOf(id) }, left);
    if (!done) return undefined;
    left -= done.amountIn;
    amountOut += done.amountOut;
    fee += done.fee;
    if (amountOut > U64_MAX) return undefined;
    count += 1;
    if (left === 0n) return { amountOut, fee, units: LEAST_BIN_UNITS * count };
  }
  return undefined;
}

/** What all that a bin has to pay out takes; undefined if a number is too large for the program. */
export function wholeBin({ pair, xToY }: Way, bin: Bin, rate: bigint) {
  return tradeAt(bin, { xToY, feeOnInput: !(pair.feeInY && xToY), rate }, U64_MAX);
}

interface Terms {
  xToY: boolean;
  feeOnInput: boolean;
  rate: bigint;
}

/**
 * At one bin: takes as much of `offered` as it can, fee included; undefined if a number is too large for the program.
 */
function tradeAt({ layers, price }: Bin, { xToY, feeOnInput, rate }: Terms, offered: bigint) {
  const withoutFee = feeOnInput ? offered - feeWithin(offered, rate) : offered;
  let [left, out] = [withoutFee, 0n];
  for (const layer of layers) {
    const whole = xToY ? ceilDiv(layer << BITS, price) : ceilShift(layer * price);
    if (whole > U64_MAX) return undefined;
    if (left >= whole) {
      left -= whole;
      out += layer;
    } else {
      out += xToY ? (left * price) >> BITS : (left << BITS) / price;
      left = 0n;
    }
    if (left === 0n) break;
  }
  const traded = withoutFee - left;
  if (!feeOnInput) {
    const fee = feeWithin(out, rate);
    return { amountIn: traded, amountOut: out - fee, fee: out === 0n ? 0n : (fee * traded) / out };
  }
  const amountIn = left > 0n ? traded + feeOnTop(traded, rate) : offered;
  return { amountIn, amountOut: out, fee: amountIn - traded };
}

const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;
const ceilShift = (value: bigint) => (value + (1n << BITS) - 1n) >> BITS;
