import { NEARLY_END } from '../estimates.js';
import { ARRAY_TICKS, type TickArray, type WhirlpoolAccount } from './accounts.js';
import { type FeeRate, RATE_UNIT, staticFee } from './fee-rate.js';
import { move } from './steps.js';
import { MAX_TICK, sqrtPriceAt } from './ticks.js';
import { type Ladder, MAX_STRETCHES, type Rung } from './trade.js';

/** Tick arrays that a trade can be given, and goes through at most. */
const ARRAYS_AHEAD = 3;

/** The start ticks of the arrays that a trade of this pool goes through, in its order. */
export function startsAhead({ tick, tickSpacing }: WhirlpoolAccount, aToB: boolean): number[] {
  const size = ARRAY_TICKS * tickSpacing;
  const own = Math.floor(tick / size) * size;
  // A rising price looks for the ticks above its own: at the end of an array those are in the next.
  const first = !aToB && tick + tickSpacing >= own + size ? own + size : own;
  const starts = Array.from({ length: ARRAYS_AHEAD }, (_, i) => first + (aToB ? -i : i) * size);
  return starts.filter((start) => hasTicks(start, size));
}

/** The start ticks for both directions, as long as the price stays within its own array. */
export function startsAround({ tick, tickSpacing }: WhirlpoolAccount): number[] {
  const size = ARRAY_TICKS * tickSpacing;
  const own = Math.floor(tick / size) * size;
  const starts = Array.from({ length: 2 * ARRAYS_AHEAD }, (_, i) => own + (i - ARRAYS_AHEAD + 1) * size);
  return starts.filter((start) => hasTicks(start, size));
}

const hasTicks = (start: number, size: number) => start <= MAX_TICK && start + size > -MAX_TICK;

/** The ladder of a pool in one direction; an array that does not exist has no ticks with liquidity. */
export function ladderOf(pool: WhirlpoolAccount, arrays: ReadonlyMap<number, TickArray>, aToB: boolean): Ladder {
  const { tick, tickSpacing, sqrtPrice, liquidity } = pool;
  const rungs: Rung[] = [];
  const starts = startsAhead(pool, aToB);
  for (const start of starts) {
    const ticks = arrays.get(start)?.ticks ?? [];
    for (const { offset, net } of aToB ? ticks.toReversed() : ticks) {
      const at = start + offset * tickSpacing;
      if (aToB ? at <= tick : at > tick) rungs.push({ tick: at, gain: aToB ? -net : net });
    }
  }
  const last = starts.at(-1);
  // A rising price cannot pass the last tick of the last array, though there is room behind it.
  const isOver = !aToB && last !== undefined && rungs.at(-1)?.tick === last + (ARRAY_TICKS - 1) * tickSpacing;
  if (last !== undefined && !isOver) rungs.push({ tick: endOf(last, tickSpacing, aToB), gain: 0n });
  return { aToB, sqrtPrice, liquidity, rungs };
}

function endOf(start: number, tickSpacing: number, aToB: boolean): number {
  return aToB ? Math.max(start, -MAX_TICK) : Math.min(start + ARRAY_TICKS * tickSpacing - 1, MAX_TICK);
}

// ---- roughly ----------------------------------------------------------------------------------------------------------

/** Liquidity that a trade meets: from this square root of the price on, after so much came in and out. */
interface Stretch {
  from: number;
  to: number;
  liquidity: number;
  /** The part of what comes in that is left after the fee. */
  kept: number;
  amountIn: number;
  amountOut: number;
}

/** What a trade does, roughly. */
export interface Estimates {
  /** 0 for more than can be traded. */
  out(amount: number): number;
  /** Infinity for more than there is. */
  in(amount: number): number;
  /** Output until the price is this many times, or such a part, of what it is. */
  outWithin(factor: number): number;
}

const ONE = 2 ** 64;
const U64_MAX = 2n ** 64n - 1n;

/** Of a pool that does not trade now. */
export const NO_ESTIMATES: Estimates = { out: () => 0, in: () => Number.POSITIVE_INFINITY, outWithin: () => 0 };

/** Of a trade, over as many stretches as it may have, each in whole units: what many of them round away is not there. */
export const estimatesOf = (ladder: Ladder, fees: FeeRate): Estimates =>
  estimatesAlong(ladder, stretchesOf(ladder, fees, MAX_STRETCHES, inUnits));

/** Of all that is there, at one fee: anybody can make another's pool one of many steps, and takes none of its depth by that. */
export const depthOf = (ladder: Ladder, rate: number): Estimates =>
  estimatesAlong(ladder, stretchesOf(ladder, staticFee(rate), Number.POSITIVE_INFINITY, roughly));

function estimatesAlong({ aToB, sqrtPrice }: Ladder, { stretches, amountIn, amountOut }: Stretches): Estimates {
  function lastWith(isBefore: (stretch: Stretch) => boolean): Stretch | undefined {
    let [low, high] = [0, stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(stretches[middle]!)) low = middle + 1;
      else high = middle;
    }
    return stretches[low - 1];
  }

  return {
    out(amount) {
      const stretch = lastWith((each) => each.amountIn < amount);
      if (amount > amountIn) return amount <= amountIn * NEARLY_END ? amountOut : 0;
      if (!stretch || stretch.liquidity === 0) return stretch?.amountOut ?? 0;
      const { from, to, liquidity, kept } = stretch;
      const net = (amount - stretch.amountIn) * kept;
      const price = aToB ? 1 / (1 / from + net / liquidity) : from + net / liquidity;
      return stretch.amountOut + outputTo(aToB, aToB ? Math.max(price, to) : Math.min(price, to), stretch);
    },
    in(amount) {
      if (amount > amountOut) return Number.POSITIVE_INFINITY;
      const stretch = lastWith((each) => each.amountOut < amount);
      if (!stretch || stretch.liquidity === 0) return stretch?.amountIn ?? 0;
      const { from, liquidity, kept } = stretch;
      const gross = amount - stretch.amountOut;
      const price = aToB ? from - gross / liquidity : 1 / (1 / from - gross / liquidity);
      return stretch.amountIn + inputTo(aToB, price, stretch) / kept;
    },
    outWithin(factor) {
      const start = Number(sqrtPrice) / ONE;
      const limit = aToB ? start / Math.sqrt(factor) : start * Math.sqrt(factor);
      const stretch = lastWith((each) => (aToB ? each.from > limit : each.from < limit));
      return stretch
        ? stretch.amountOut + outputTo(aToB, aToB ? Math.max(limit, stretch.to) : Math.min(limit, stretch.to), stretch)
        : 0;
    },
  };
}

interface Stretches {
  stretches: readonly Stretch[];
  /** Of all of them. */
  amountIn: number;
  amountOut: number;
}

type Move = Parameters<typeof move>[0];

/** What all of a stretch takes with the fee, and gives. */
type WholeOf = (stretch: Move, roughly: Stretch) => { paid: number; received: number };

/** Where that is more than a number holds, nobody gets to its end. */
const inUnits: WholeOf = (exact, stretch) => {
  const moved = move(exact, U64_MAX);
  return moved
    ? { paid: Number(moved.amountIn + moved.fee), received: Number(moved.amountOut) }
    : roughly(exact, stretch);
};

const roughly: WholeOf = ({ aToB }, stretch) => ({
  paid: inputTo(aToB, stretch.to, stretch) / stretch.kept,
  received: outputTo(aToB, stretch.to, stretch),
});

/** What a trade goes through, in the steps of `trade`. */
function stretchesOf({ aToB, sqrtPrice, liquidity, rungs }: Ladder, fees: FeeRate, most: number, wholeOf: WholeOf) {
  const stretches: Stretch[] = [];
  let [price, passed, amountIn, amountOut] = [sqrtPrice, liquidity, 0, 0];
  for (const rung of rungs) {
    rung.sqrtPrice ??= sqrtPriceAt(rung.tick);
    const target = rung.sqrtPrice;
    do {
      if (stretches.length === most) return { stretches, amountIn, amountOut };
      const feeRate = fees.rate();
      const end = fees.bound(target, passed);
      const [from, to, kept] = [Number(price) / ONE, Number(end) / ONE, 1 - Number(feeRate) / RATE_UNIT];
      const stretch = { from, to, liquidity: Number(passed), kept, amountIn, amountOut };
      stretches.push(stretch);
      const { paid, received } = wholeOf({ sqrtPrice: price, target: end, liquidity: passed, feeRate, aToB }, stretch);
      amountIn += paid;
      amountOut += received;
      price = end;
      fees.advance(price, rung.tick, target);
    } while (price !== target);
    passed += rung.gain;
  }
  return { stretches, amountIn, amountOut };
}

type Liquidity = Pick<Stretch, 'from' | 'liquidity'>;

const inputTo = (aToB: boolean, price: number, { from, liquidity }: Liquidity): number =>
  aToB ? liquidity * (1 / price - 1 / from) : liquidity * (price - from);

const outputTo = (aToB: boolean, price: number, { from, liquidity }: Liquidity): number =>
  aToB ? liquidity * (from - price) : liquidity * (1 / from - 1 / price);
