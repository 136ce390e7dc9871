import { MAX_TICK, sqrtPriceAt, tickAt } from './ticks.js';

/** Of what rates are parts. */
export const RATE_UNIT = 1_000_000;
/** 10 %, however much the price has moved. */
const MAX_RATE = 100_000n;
/** What one group of ticks counts. */
const GROUP = 10_000;
const REDUCTION_UNIT = 10_000;
const CONTROL_UNIT = 100_000n;
/** Seconds after which the reference is renewed in any case. */
const MAX_REFERENCE_AGE = 3_600;

/** The oracle account of a pool whose fee rises with the movement of its price. Times are in seconds. */
export interface AdaptiveFee {
  filterPeriod: number;
  decayPeriod: number;
  reductionFactor: number;
  controlFactor: number;
  maxVolatility: number;
  /** Ticks in a group; within one the fee is constant. */
  groupSize: number;
  lastReferenceUpdate: number;
  lastMajorSwap: number;
  volatilityReference: number;
  groupReference: number;
  volatility: number;
}

/** The fee in the course of one trade. */
export interface FeeRate {
  /** The rate of the stretch that begins now, in millionths. */
  rate(): bigint;
  /** Where that stretch ends at the latest, on the way to a target. */
  bound(target: bigint, liquidity: bigint): bigint;
  /** Ends the stretch: the price stands there, and `nextTick` with its price is the next one with liquidity. */
  advance(sqrtPrice: bigint, nextTick: number, nextTickPrice: bigint): void;
}

export function staticFee(rate: number): FeeRate {
  const fixed = BigInt(rate);
  return { rate: () => fixed, bound: (target) => target, advance: () => {} };
}

/** The volatility and group that the next trade's fee is measured from; undefined for a time before the last trade. */
function referenceAt(fee: AdaptiveFee, group: number, now: number): { volatility: number; group: number } | undefined {
  const lastChange = Math.max(fee.lastReferenceUpdate, fee.lastMajorSwap);
  if (now < lastChange) return undefined;
  if (now - fee.lastReferenceUpdate > MAX_REFERENCE_AGE) return { volatility: 0, group };
  const elapsed = now - lastChange;
  if (elapsed < fee.filterPeriod) return { volatility: fee.volatilityReference, group: fee.groupReference };
  if (elapsed >= fee.decayPeriod) return { volatility: 0, group };
  return { volatility: Math.floor((fee.volatility * fee.reductionFactor) / REDUCTION_UNIT), group };
}

/**
 * The fee of a trade that begins at `tick` and at `now` (unix seconds): the fixed rate and one that rises with the square
 * of the groups of ticks that the price has moved. Undefined where the program refuses the time.
 */
export function adaptiveFee(fee: AdaptiveFee, rate: number, tick: number, now: number, aToB: boolean) {
  const { groupSize, maxVolatility, controlFactor } = fee;
  let group = Math.floor(tick / groupSize);
  const reference = referenceAt(fee, group, now);
  if (!reference || maxVolatility < reference.volatility) return undefined;
  // Outside these groups the volatility is at its maximum and the fee does not change.
  const reach = Math.ceil((maxVolatility - reference.volatility) / GROUP);
  const [lowest, highest] = [reference.group - reach, reference.group + reach];
  const lowestTick = lowest * groupSize;
  const highestTick = (highest + 1) * groupSize;
  let isSkipping = false;
  let volatility = 0;

  const measure = () => {
    volatility = Math.min(reference.volatility + Math.abs(reference.group - group) * GROUP, maxVolatility);
  };

  function bound(target: bigint, liquidity: bigint): bigint {
    isSkipping = true;
    if (controlFactor === 0 || liquidity === 0n) return target;
    if (group < lowest && lowestTick > -MAX_TICK) return aToB ? target : smaller(target, sqrtPriceAt(lowestTick));
    if (group > highest && highestTick < MAX_TICK) return aToB ? larger(target, sqrtPriceAt(highestTick)) : target;
    isSkipping = false;
    const edge = sqrtPriceAt(clampTick((aToB ? group : group + 1) * groupSize));
    return aToB ? larger(target, edge) : smaller(target, edge);
  }

  function advance(sqrtPrice: bigint, nextTick: number, nextTickPrice: bigint): void {
    if (isSkipping) {
      const tick = sqrtPrice === nextTickPrice ? nextTick : tickAt(sqrtPrice);
      const isEdge = tick % groupSize === 0 && (sqrtPrice === nextTickPrice || sqrtPrice === sqrtPriceAt(tick));
      const passed = isEdge && !aToB ? tick / groupSize - 1 : Math.floor(tick / groupSize);
      if (aToB ? passed < group : passed > group) group = passed;
    }
    group += aToB ? -1 : 1;
  }

  return {
    rate() {
      measure();
      return smaller(BigInt(rate) + variableRate(volatility * groupSize, controlFactor), MAX_RATE);
    },
    bound,
    advance,
  } satisfies FeeRate;
}

function variableRate(crossed: number, controlFactor: number): bigint {
  const scaled = BigInt(controlFactor) * BigInt(crossed) ** 2n;
  const unit = CONTROL_UNIT * BigInt(GROUP) ** 2n;
  return smaller((scaled + unit - 1n) / unit, MAX_RATE);
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const larger = (a: bigint, b: bigint) => (a > b ? a : b);
const clampTick = (tick: number) => Math.min(MAX_TICK, Math.max(-MAX_TICK, tick));
