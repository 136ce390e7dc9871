import type { DlmmPair } from './accounts.js';

/** Fee rates are in parts of this. */
const UNIT = 1_000_000_000n;
/** 10 %, however much the price has moved. */
const MAX_RATE = 100_000_000n;
/** What one bin counts, and of what the reduction is a part. */
const BIN = 10_000;

/** The fee rate of a trade at a bin, in parts of UNIT. */
export type RateOf = (id: number) => bigint;

/** The part of the rate that no movement of the price raises. */
export const baseRate = ({ baseFactor, binStep, baseFeePower }: DlmmPair): bigint =>
  BigInt(baseFactor) * BigInt(binStep) * 10n * 10n ** BigInt(baseFeePower);

/** The rates of a trade at `now` (unix seconds); undefined where the program's numbers overflow. */
export function rateAt(pair: DlmmPair, now: number): RateOf | undefined {
  const { binStep, variableFeeControl, maxVolatility } = pair;
  const base = baseRate(pair);
  const reference = referenceAt(pair, now);
  if (!reference) return undefined;
  return (id) => {
    const volatility = Math.min(reference.volatility + Math.abs(reference.index - id) * BIN, maxVolatility);
    const variable = BigInt(variableFeeControl) * (BigInt(volatility) * BigInt(binStep)) ** 2n;
    const rate = base + (variable + 99_999_999_999n) / 100_000_000_000n;
    return rate < MAX_RATE ? rate : MAX_RATE;
  };
}

/** The bin and volatility from which the movement of the price is counted. */
function referenceAt(pair: DlmmPair, now: number): { index: number; volatility: number } | undefined {
  const elapsed = now - pair.lastUpdate;
  if (elapsed < pair.filterPeriod) return { index: pair.indexReference, volatility: pair.volatilityReference };
  if (elapsed >= pair.decayPeriod) return { index: pair.activeId, volatility: 0 };
  const product = pair.volatility * pair.reductionFactor;
  return product < 2 ** 32 ? { index: pair.activeId, volatility: Math.floor(product / BIN) } : undefined;
}

/** The fee within an amount, rounded up. */
export const feeWithin = (amount: bigint, rate: bigint) => (amount * rate + UNIT - 1n) / UNIT;

/** The fee on top of an amount, rounded up. */
export const feeOnTop = (amount: bigint, rate: bigint) => (amount * rate + UNIT - rate - 1n) / (UNIT - rate);

export const shareOf = (rate: bigint) => Number(rate) / Number(UNIT);
