import { type Effort, WITHOUT_END } from '../../effort.js';
import type { FeeRate } from './fee-rate.js';
import { move } from './steps.js';
import { MAX_TICK, sqrtPriceAt } from './ticks.js';

const U64_MAX = 2n ** 64n - 1n;
const U128_MAX = 2n ** 128n - 1n;
/** A trade over more uses so many compute units, 10,000 each, that a transaction has no room for it beside others. */
export const MAX_STRETCHES = 80;

/** Compute units of one at least: 7,200 were measured with the program, and more of some kinds of ticks. */
const LEAST_STRETCH_UNITS = 7_000;

/** What one takes, in microseconds, roughly. */
const STRETCH = 1;

/** A tick that the price passes, in the direction of a trade. */
export interface Rung {
  tick: number;
  /** The liquidity that the price gains when it passes. */
  gain: bigint;
  /** Of the tick; calculated when a trade gets there. */
  sqrtPrice?: bigint;
}

/** The ticks that change the liquidity, nearest first, and last the end of what is known. */
export interface Ladder {
  aToB: boolean;
  sqrtPrice: bigint;
  liquidity: bigint;
  rungs: readonly Rung[];
}

/** What the pool itself receives and pays out. */
interface PoolTrade {
  /** With the fee. */
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
  units: number;
}

/**
 * What the pool does when `amount` comes in, including the fee; at the very end of the prices it takes less. Undefined
 * if the program refuses, or would need ticks that it is not given, or too many.
 */
export function trade(
  ladder: Ladder,
  amount: bigint,
  fees: FeeRate,
  effort: Effort = WITHOUT_END,
): PoolTrade | undefined {
  const { aToB, rungs } = ladder;
  let { sqrtPrice, liquidity } = ladder;
  let [left, amountOut, fee, stretches] = [amount, 0n, 0n, 0];
  for (const rung of rungs) {
    rung.sqrtPrice ??= sqrtPriceAt(rung.tick);
    const target = rung.sqrtPrice;
    do {
      if (++stretches > MAX_STRETCHES) return undefined;
      effort.left -= STRETCH;
      const feeRate = fees.rate();
      const moved = move({ sqrtPrice, target: fees.bound(target, liquidity), liquidity, feeRate, aToB }, left);
      if (!moved) return undefined;
      left -= moved.amountIn + moved.fee;
      amountOut += moved.amountOut;
      fee += moved.fee;
      sqrtPrice = moved.sqrtPrice;
      fees.advance(sqrtPrice, rung.tick, target);
    } while (left > 0n && sqrtPrice !== target);
    if (sqrtPrice === target) liquidity += rung.gain;
    if (liquidity < 0n || liquidity > U128_MAX) return undefined;
    if (left === 0n) break;
  }
  const isAtEnd = Math.abs(rungs.at(-1)?.tick ?? 0) === MAX_TICK;
  if ((left > 0n && !isAtEnd) || amountOut > U64_MAX) return undefined;
  return { amountIn: amount - left, amountOut, fee, units: LEAST_STRETCH_UNITS * (stretches - 1) };
}
