import type { Fee, PoolFees } from './pool.js';

// SPL Token Swap's arithmetic, written down a second time with unbounded integers, fixed-point numbers included.

const ONE = 10n ** 12n;
const HALF = ONE / 2n;
const U64_MAX = 2n ** 64n - 1n;

export interface ModelTrade {
  paid: bigint;
  received: bigint;
  /** Pool tokens minted to the fee account and to the host. */
  ownerTokens: bigint;
  hostTokens: bigint;
}

const feeOf = ({ numerator, denominator }: Fee, amount: bigint): bigint => {
  if (numerator === 0n || amount === 0n) return 0n;
  const part = (amount * numerator) / denominator;
  return part === 0n ? 1n : part;
};
const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** What a swap does; undefined where the program refuses it. */
export function modelSwap(
  fees: PoolFees,
  pool: { balanceIn: bigint; balanceOut: bigint; supply: bigint },
  offered: bigint,
  hasHost: boolean,
): ModelTrade | undefined {
  const { balanceIn, balanceOut, supply } = pool;
  if (balanceIn + offered > U64_MAX) return undefined;
  const ownerFee = feeOf(fees.ownerTrade, offered);
  const allFees = feeOf(fees.trade, offered) + ownerFee;
  const traded = offered - allFees;
  const k = balanceIn * balanceOut;
  if (traded < 0n || balanceIn + traded === 0n || k / (balanceIn + traded) === 0n) return undefined;
  const left = ceilDiv(k, balanceIn + traded);
  const received = balanceOut - left;
  if (received === 0n) return undefined;
  const paid = ceilDiv(k, left) - balanceIn + allFees;
  const worth = ownerFee === 0n ? 0n : poolTokensFor(ownerFee, balanceIn + paid, supply);
  const hostTokens = hasHost ? feeOf(fees.host, worth) : 0n;
  return { paid, received, ownerTokens: worth - hostTokens, hostTokens };
}

// Fixed-point numbers with 12 decimals, rounded to nearest in every step, as the interface has it.
const fixedMul = (a: bigint, b: bigint) => (a * b + HALF) / ONE;
const fixedDiv = (a: bigint, b: bigint) => (a * ONE + HALF) / b;

function fixedSqrt(x: bigint): bigint {
  if (x === 0n) return 0n;
  let guess = fixedDiv(x + ONE, 2n * ONE);
  for (let i = 0; i < 100; i++) {
    const next = fixedDiv(fixedMul(ONE, guess) + fixedDiv(x, guess), 2n * ONE);
    const moved = next > guess ? next - guess : guess - next;
    guess = next;
    if (moved < 100n) break;
  }
  return guess;
}

function poolTokensFor(amount: bigint, balance: bigint, supply: bigint): bigint {
  const ratio = fixedDiv(amount * ONE, balance * ONE);
  const base = ratio > ONE ? 0n : ONE - ratio;
  const tokens = fixedMul(supply * ONE, ONE - fixedSqrt(base));
  return ((tokens / ONE) * ONE + HALF) / ONE;
}

/** What a deposit of `poolTokens` costs of one side; undefined where it would be nothing. */
export function modelDeposit(poolTokens: bigint, supply: bigint, balance: bigint): bigint | undefined {
  const share = poolTokens * balance;
  return share < supply ? undefined : ceilDiv(share, supply);
}

/** What a withdrawal does, whose fee account is open: the fee in pool tokens and the share of one side. */
export function modelWithdraw(fees: PoolFees, poolTokens: bigint, supply: bigint, balance: bigint) {
  const fee = feeOf(fees.ownerWithdraw, poolTokens);
  return { fee, share: ((poolTokens - fee) * balance) / supply };
}
