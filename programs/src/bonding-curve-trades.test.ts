import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseBetween, type CurvePoint, FEE_PER_BPS } from './bonding-curve-math.js';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { openTrading, RICH, refusedBy, withFee } from './bonding-curve-trades-testing.js';
import { launchConfig } from './index.js';
import { succeeded, u64 } from './test-vm.js';

const ONE = 10n ** 9n;
const [LINEAR, EXPONENTIAL] = [0, 1];
/** Of a configuration: the fee at the start (of 10^9), what it falls by, the periods, the mode. */
const [FEE_START_AT, FEE_FREQUENCY_AT, FEE_REDUCTION_AT, FEE_PERIODS_AT, FEE_MODE_AT] = [104, 112, 120, 128, 130];
const THRESHOLD_AT = 264;
/** Of a pool: what it holds, how far it is, and what it counts of fees in the quote. */
const [BASE_RESERVE_AT, QUOTE_RESERVE_AT, PROGRESS_AT] = [232, 240, 308];
const FEES_AT = { protocol: 256, operator: 272, 'all of the protocol': 320, 'all of trades': 336, creator: 360 };
const [MATH_OVERFLOW, EXCEEDED_SLIPPAGE] = [6000, 6002];
const FEE_OUT_OF_BOUNDS = 6003;

test('a trade that ends at a point of the curve has the price of that point, and the next one goes on from there', () => {
  let points: CurvePoint[] = [];
  let start = 0n;
  const { state, swap } = openTrading((terms) => {
    const [first, ...rest] = terms.curve as [CurvePoint, ...CurvePoint[]];
    const part = (first.sqrtPrice - terms.sqrtStartPrice) / 3n;
    start = terms.sqrtStartPrice;
    const prices = [start + part + 1n, start + 2n * part + 7n];
    points = [...prices.map((sqrtPrice) => ({ ...first, sqrtPrice })), first, ...rest];
    terms.curve = points;
    // Each part is rounded up on its own: a launch of all that there is would lack a unit.
    const supply = terms.tokenSupply!.preMigrationTokenSupply * 2n;
    terms.tokenSupply = { preMigrationTokenSupply: supply, postMigrationTokenSupply: supply };
  });
  const { liquidity } = points[0]!;
  const quoteBetween = (lower: bigint, upper: bigint) => (liquidity * (upper - lower) + 2n ** 128n - 1n) >> 128n;
  for (const [i, { sqrtPrice }] of points.slice(0, 2).entries()) {
    const before = state();
    assert.equal(before.sqrtPrice, points[i - 1]?.sqrtPrice ?? start);
    const amount = quoteBetween(before.sqrtPrice, sqrtPrice);
    succeeded(swap(true, withFee(amount)));
    const after = state();
    assert.equal(after.sqrtPrice, sqrtPrice);
    assert.equal(after.quoteReserve - before.quoteReserve, amount);
  }
  const [{ sqrtPrice }, second] = points as [CurvePoint, CurvePoint];
  succeeded(swap(false, baseBetween(sqrtPrice, second.sqrtPrice, liquidity)));
  assert.equal(state().sqrtPrice, sqrtPrice);
});

test('an exponential fee falls by the published arithmetic, whose roundings add up', () => {
  const { vm, state, swap } = openTrading(({ baseFee }) =>
    Object.assign(baseFee, {
      cliffFeeNumerator: 900_000_000n,
      numberOfPeriod: 2,
      periodFrequency: 1n,
      reductionFactor: 200n,
      mode: EXPONENTIAL,
    }),
  );
  for (const fee of [900_000_000n, 882_000_000n, 864_359_999n, 864_359_999n]) {
    const before = state().quoteReserve;
    succeeded(swap(true, ONE));
    assert.equal(ONE - (state().quoteReserve - before), fee);
    vm.svm.warpToSlot(vm.svm.getClock().slot + 1n);
  }
});

test('a fee that would fall below nothing, or to nothing, stops the trades', () => {
  for (const [start, reduction, periods, mode, isGood] of [
    [900n, 100n, 9, LINEAR, true],
    [899n, 100n, 9, LINEAR, false],
    [ONE / 2n, 9_999n, 4, EXPONENTIAL, true],
    [ONE / 2n, 9_999n, 5, EXPONENTIAL, false],
    [ONE / 2n, 10_000n, 1, EXPONENTIAL, false],
    [ONE / 2n, 10_001n, 1, EXPONENTIAL, false],
  ] as const) {
    const { vm, launched, swap } = openTrading();
    const { config } = launched.pool;
    vm.patch(config, FEE_START_AT, u64(start));
    vm.patch(config, FEE_FREQUENCY_AT, u64(1n));
    vm.patch(config, FEE_REDUCTION_AT, u64(reduction));
    vm.patch(config, FEE_PERIODS_AT, Uint8Array.of(periods, 0));
    vm.patch(config, FEE_MODE_AT, Uint8Array.of(mode));
    vm.svm.warpToSlot(vm.svm.getClock().slot + 20n);
    const outcome = swap(true, ONE);
    if (isGood) succeeded(outcome);
    else refusedBy(outcome, MATH_OVERFLOW);
  }
});

test('a fee that never falls has the same bounds in both modes', () => {
  const vm = standInVm();
  for (const mode of [LINEAR, EXPONENTIAL]) {
    for (const [cliffFeeNumerator, isGood] of [
      [25n * FEE_PER_BPS - 1n, false],
      [25n * FEE_PER_BPS, true],
      [9_900n * FEE_PER_BPS, true],
      [9_900n * FEE_PER_BPS + 1n, false],
    ] as const) {
      const { terms } = launchConfig(INDIE);
      const none = { numberOfPeriod: 0, periodFrequency: 0n, reductionFactor: 0n };
      Object.assign(terms.baseFee, { ...none, cliffFeeNumerator, mode });
      const { outcome } = launch(vm, vm.mint({ decimals: 6, supply: RICH }), INDIE, terms);
      if (isGood) succeeded(outcome);
      else refusedBy(outcome, FEE_OUT_OF_BOUNDS);
    }
  }
});

test('a pool counts nothing that it cannot hold, and pays nothing that it has not counted', () => {
  const most = 2n ** 64n - 1n;
  const [BUY, SELL] = [true, false];
  for (const [what, at, value, isBuy] of [
    ['quote', QUOTE_RESERVE_AT, most - 1n, BUY],
    ['base', BASE_RESERVE_AT, 0n, BUY],
    ['base', BASE_RESERVE_AT, most, SELL],
    ['quote', QUOTE_RESERVE_AT, 0n, SELL],
    ...Object.entries(FEES_AT).flatMap(([name, place]) => [
      [name, place, most, BUY] as const,
      [name, place, most, SELL] as const,
    ]),
  ] as const) {
    const { vm, launched, base, swap } = openTrading();
    succeeded(swap(true, ONE));
    const part = vm.amount(base) / 2n;
    vm.patch(launched.pool.config, THRESHOLD_AT, u64(most));
    vm.patch(launched.pool.pool, at, u64(value));
    refusedBy(swap(isBuy, isBuy ? ONE : part), MATH_OVERFLOW, `${what} ${isBuy ? 'bought' : 'sold'}`);
  }
});

test('a purchase of an exact amount may cost all of the limit, and not a unit more', () => {
  const first = openTrading();
  succeeded(first.swapOut(true, 123_456_789_012n));
  const cost = RICH - first.vm.amount(first.quote);
  const { vm, quote, swapOut } = openTrading();
  refusedBy(swapOut(true, 123_456_789_012n, cost - 1n), EXCEEDED_SLIPPAGE);
  succeeded(swapOut(true, 123_456_789_012n, cost));
  assert.equal(RICH - vm.amount(quote), cost);
});

test('a curve that is sold out waits for the lock of its vested tokens, be it of a single unit at once', () => {
  const none = { amountPerPeriod: 0n, cliffDurationFromMigrationTime: 0n, frequency: 0n, numberOfPeriod: 0n };
  for (const [vesting, progress] of [
    [{ ...none, cliffUnlockAmount: 0n }, 2],
    [{ ...none, frequency: 1n, cliffUnlockAmount: 1n }, 1],
    [{ ...none, frequency: 1n, numberOfPeriod: 1n, amountPerPeriod: 1n, cliffUnlockAmount: 0n }, 1],
  ] as const) {
    const { vm, launched, swap } = openTrading((terms) => {
      terms.lockedVesting = vesting;
      const supply = terms.tokenSupply!.preMigrationTokenSupply * 2n;
      terms.tokenSupply = { preMigrationTokenSupply: supply, postMigrationTokenSupply: supply };
    });
    succeeded(swap(true, RICH / 2n, true));
    assert.equal(vm.data(launched.pool.pool)[PROGRESS_AT], progress);
  }
});
