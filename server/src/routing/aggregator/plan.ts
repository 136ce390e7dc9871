import type { Address } from '@slipway/wire';
import { MAX_COMPUTE_UNITS } from '../../crafting/budget.js';
import type { QuoteRequest } from '../router.js';
import { type Effort, isSpent, WITHOUT_END } from './effort.js';
import { type Leg, quoteOf } from './legs.js';
import type { PoolState, Trade } from './venue.js';

export const ALL_BPS = 10_000;
const BPS = 10_000n;
const U64_MAX = 2n ** 64n - 1n;
/** An intermediate step may leave over at most one part in so many of what it is offered: more would be wasted. */
const LEAST_USE = 100n;
/** At most one part in so many of the input is given away to make what leaves the source a round amount. */
const LEAST_USE_OF_INPUT = 10_000n;

/** Compute units of any trade at least, without those that depend on its amount. */
const LEAST_UNITS = 20_000;

/** A leg with its share of the step, and its pool's state. Shares are rounded down; the last part takes the rest. */
export interface Part extends Leg {
  state: PoolState;
  bps: number;
}

interface Step {
  input: Address;
  output: Address;
  parts: readonly Part[];
}

/** The steps to take, whatever the amount. */
export interface Plan {
  steps: readonly Step[];
  pools: number;
}

/** What a part is offered, and what it does with it. */
export interface Done extends Trade {
  part: Part;
  step: number;
  offered: bigint;
  /** The dust that it leaves of the offer, given to the pool: intermediate accounts must end up empty, and the input whole. */
  rest: bigint;
}

export interface Outcome {
  /** Leaves the source, including a fee on the input. */
  inAmount: bigint;
  /** Arrives, after a fee on the output. */
  outAmount: bigint;
  feeAmount: bigint;
  trades: Done[];
}

/** Whether some of the input stays in the source, because it is more than may be given away. */
export function isLeft({ trades }: Outcome): boolean {
  const last = trades.findLast(({ step }) => step === 0);
  return last !== undefined && last.offered - last.paid > last.rest;
}

type Fee = QuoteRequest['fee'];

interface RunOptions {
  fee: Fee;
  /** Whether our router program runs it; otherwise each part is an instruction with an amount fixed beforehand. */
  routed: boolean;
  /** Of the search that asks; missing where nothing else is asked. */
  effort?: Effort;
}

/**
 * Calculates exactly what happens when `amount` is offered; undefined if a venue refuses, too little would be used, or a
 * transaction surely has too few compute units for it.
 */
export function run(
  plan: Plan,
  amount: bigint,
  { fee, routed, effort = WITHOUT_END }: RunOptions,
): Outcome | undefined {
  if (amount > U64_MAX) return undefined;
  const inputFee = fee?.side === 'input' ? (amount * BigInt(fee.bps)) / BPS : 0n;
  const trades: Done[] = [];
  let available = amount - inputFee;
  let unused = 0n;
  let units = 0;
  for (const [i, { parts }] of plan.steps.entries()) {
    const whole = available;
    let left = whole;
    let toOffer = whole;
    let received = 0n;
    for (const [j, part] of parts.entries()) {
      const isLast = j === parts.length - 1;
      const rest = routed ? left : toOffer;
      const offered = isLast ? rest : (whole * BigInt(part.bps)) / BPS;
      const trade = quoteOf(part, offered, effort);
      if (!trade) return undefined;
      units += LEAST_UNITS + (trade.units ?? 0);
      if (units > MAX_COMPUTE_UNITS) return undefined;
      left -= trade.paid;
      toOffer -= offered;
      received += trade.received;
      trades.push({ ...trade, part, step: i, offered, rest: 0n });
    }
    const least = i === 0 ? LEAST_USE_OF_INPUT : LEAST_USE;
    const last = trades.at(-1)!;
    if (routed && last.part.state.leaves === 'dust' && left * least <= whole) last.rest = left;
    else if (i === 0) unused = left;
    else if (left > 0n) return undefined;
    available = received;
  }
  const outputFee = fee?.side === 'output' ? (available * BigInt(fee.bps)) / BPS : 0n;
  if (available > U64_MAX || available === outputFee) return undefined;
  return {
    inAmount: amount - unused,
    outAmount: available - outputFee,
    feeAmount: inputFee + outputFee,
    trades,
  };
}

/**
 * Finds, searching around `guess`, an amount to offer with which at least `wanted` arrives, and with one unit less does
 * not. Undefined if no u64 is enough, or the effort does not suffice to find it.
 */
export function amountFor(
  plan: Plan,
  wanted: bigint,
  guess: number,
  options: RunOptions,
): { amount: bigint; outcome: Outcome } | undefined {
  const { effort = WITHOUT_END } = options;
  const arrives = (amount: bigint): Outcome | undefined => {
    const outcome = amount > 0n && !isSpent(effort) ? run(plan, amount, options) : undefined;
    return outcome && outcome.outAmount >= wanted ? outcome : undefined;
  };
  let high = closer(plan, wanted, bigintOf(guess), options);
  let step = high / 1_000_000_000n + 1n;
  let low = high - step;
  while (!arrives(high)) {
    if (high >= U64_MAX) return undefined;
    low = high;
    step *= 4n;
    high = min(high + step, U64_MAX);
  }
  for (step = step > 1n ? step : 1n; low > 0n && arrives(low); step *= 4n) {
    high = low;
    low -= step;
  }
  if (low < 0n) low = 0n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (arrives(middle)) high = middle;
    else low = middle;
  }
  const outcome = arrives(high);
  return outcome && { amount: high, outcome };
}

/** Scales the guess twice toward the wanted output, as if the price stayed the same. */
function closer(plan: Plan, wanted: bigint, guess: bigint, options: RunOptions): bigint {
  for (let i = 0; i < 2; i++) {
    const out = run(plan, guess, options)?.outAmount;
    if (out === undefined) break;
    const next = (guess * wanted) / out;
    if (next > 0n && next <= U64_MAX) guess = next;
  }
  return guess;
}

/**
 * How much worse the trade is than the prices before it, fees apart: 0 to 1. A step is no worse than its largest part: all parts end
 * at about one price, and that of a small pool has been far better before where somebody made it so.
 */
export function priceImpact({ trades }: Outcome): number {
  const steps: Done[][] = [];
  for (const done of trades) steps[done.step] = [...(steps[done.step] ?? []), done];
  const kept = steps.reduce((product, parts) => {
    const largest = parts.reduce((most, done) => (done.paid > most.paid ? done : most));
    return product * Math.max(keptBy(parts), keptBy([largest]));
  }, 1);
  return Number.isFinite(kept) ? Math.min(1, Math.max(0, 1 - kept)) : 0;
}

function keptBy(trades: readonly Done[]): number {
  const sum = (of: (done: Done) => number) => trades.reduce((total, done) => total + of(done), 0);
  return sum(({ received }) => Number(received)) / sum(idealOf);
}

/**
 * What a part would yield if it moved no price. A pool's price is that of its first unit, and anybody makes one whose first
 * units are dust at many times the price, which nobody takes: so it is no more than what half of the amount tells, for which a
 * constant product has moved its price half as far.
 */
function idealOf({ part: { state, from }, paid, fee, received }: Done): number {
  const byPrice = Number(paid - fee) * state.price(from);
  const half = state.quote(from, paid / 2n);
  if (!half) return byPrice;
  const lost = 2 * (1 - (Number(received) * Number(half.paid)) / (Number(half.received) * Number(paid)));
  return lost < 1 ? Math.min(byPrice, Number(received) / (1 - Math.max(0, lost))) : byPrice;
}

function bigintOf(guess: number): bigint {
  if (!(guess >= 1)) return 1n;
  return guess >= 2 ** 64 ? U64_MAX : BigInt(Math.ceil(guess));
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
