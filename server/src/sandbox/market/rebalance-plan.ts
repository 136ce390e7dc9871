import type { Fee, PoolFees } from '@slipway/programs';
import type { Side, Trade } from '../../routing/aggregator/index.js';

/** A positive fraction. */
interface Fraction {
  n: bigint;
  d: bigint;
}

interface PricedSide {
  usd: number;
  decimals: number;
}

/** A constant-product pool in its current state, in the smallest units. */
export interface PoolReserves {
  fees: PoolFees;
  reserves: readonly [bigint, bigint];
  /** What the pool does when `amount` is offered; undefined where it refuses. */
  quote(from: Side, amount: bigint): Trade | undefined;
}

export interface PoolTrade {
  from: Side;
  amountIn: bigint;
}

/** The narrowest band, for pools without a fee. */
const LEAST_BAND: Fraction = { n: 1n, d: 10_000n };

/** The exact value, not a decimal near it. */
function fractionOf(value: number): Fraction {
  let [whole, d] = [value, 1n];
  while (!Number.isInteger(whole)) {
    whole *= 2;
    d *= 2n;
  }
  return { n: BigInt(whole), d };
}

/** How many smallest units of `b` one smallest unit of `a` is worth. */
export function priceOf(a: PricedSide, b: PricedSide): Fraction {
  const [usdA, usdB] = [fractionOf(a.usd), fractionOf(b.usd)];
  return {
    n: usdA.n * usdB.d * 10n ** BigInt(b.decimals),
    d: usdA.d * usdB.n * 10n ** BigInt(a.decimals),
  };
}

/** Whether the pool's marginal price of its first token in its second is off by no more than its fee. */
export function isWithinFee({ reserves, fees }: Pick<PoolReserves, 'reserves' | 'fees'>, { n, d }: Fraction): boolean {
  const fee = totalFee(fees);
  const band = fee.n * LEAST_BAND.d > LEAST_BAND.n * fee.d ? fee : LEAST_BAND;
  const [is, should] = [reserves[1] * d, reserves[0] * n];
  const off = is > should ? is - should : should - is;
  return off * band.d <= should * band.n;
}

/**
 * The trade that takes the pool's marginal price of its first token in its second to `price`; undefined if none does.
 * The pool must not be there yet.
 */
export function tradeTo(pool: PoolReserves, price: Fraction): PoolTrade | undefined {
  const { reserves, fees, quote } = pool;
  const from: Side = reserves[1] * price.d > reserves[0] * price.n ? 0 : 1;
  const [x, y] = from === 0 ? reserves : [reserves[1], reserves[0]];
  const { n, d } = from === 0 ? price : { n: price.d, d: price.n };
  // All of the fee f stays in the pool: after g goes in, x + g stands against xy / (x + (1 - f)g). Setting the second
  // to n/d of the first gives, with q = 1 - f, a quadratic equation: q g^2 + (1 + q) x g + x^2 - xy d/n = 0.
  const fee = totalFee(fees);
  const [qn, qd] = [fee.d - fee.n, fee.d];
  if (qn <= 0n) return undefined;
  const linear = (qd + qn) * x;
  const constant = qd * (x * x - (x * y * d) / n);
  const amountIn = (squareRoot(linear * linear - 4n * qn * constant) - linear) / (2n * qn);
  const trade = quote(from, amountIn);
  if (!trade) return undefined;
  const [paidInto, takenFrom] = [x + trade.paid, y - trade.received];
  const after = from === 0 ? ([paidInto, takenFrom] as const) : ([takenFrom, paidInto] as const);
  return isWithinFee({ reserves: after, fees }, price) ? { from, amountIn } : undefined;
}

function totalFee({ trade, ownerTrade }: PoolFees): Fraction {
  const [a, b] = [asFraction(trade), asFraction(ownerTrade)];
  return { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

function asFraction({ numerator, denominator }: Fee): Fraction {
  return numerator === 0n ? { n: 0n, d: 1n } : { n: numerator, d: denominator };
}

/** Rounded down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
