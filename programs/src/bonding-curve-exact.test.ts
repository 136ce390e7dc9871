// Trades that end exactly where something changes: at the curve's ends, at a point, or a unit beside it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseBetween, type CurvePoint } from './bonding-curve-math.js';
import { INDIE } from './bonding-curve-testing.js';
import { openTrading, RICH, refusedBy } from './bonding-curve-trades-testing.js';
import { launchConfig } from './index.js';
import { succeeded, u64 } from './test-vm.js';

const ONE = 10n ** 9n;
const ONE_128 = 2n ** 128n;
const [MATH_OVERFLOW, TYPE_CAST, INSUFFICIENT_LIQUIDITY, AMOUNT_LEFT] = [6000, 6006, 6033, 6047];
/** Of a configuration: the fee's schedule, the price at which it migrates. */
const [FEE_FREQUENCY_AT, FEE_REDUCTION_AT, FEE_PERIODS_AT, MIGRATION_PRICE_AT] = [112, 120, 128, 280];

/** The least amount of which so much is left after a fee of one per cent, which is rounded up. */
const beforeFee = (amount: bigint): bigint => (amount * 100n + 98n) / 99n;

function u128(value: bigint): Buffer {
  return Buffer.concat([u64(value % 2n ** 64n), u64(value >> 64n)]);
}

test('a purchase of an exact amount may end at the price of the migration, and not beyond it', () => {
  const bought = 123_456_789_012n;
  const first = openTrading();
  succeeded(first.swapOut(true, bought));
  const { sqrtPrice } = first.state();
  for (const [migration, isGood] of [
    [sqrtPrice, true],
    [sqrtPrice - 1n, false],
  ] as const) {
    const { vm, launched, base, swapOut, state } = openTrading();
    vm.patch(launched.pool.config, MIGRATION_PRICE_AT, u128(migration));
    const outcome = swapOut(true, bought);
    if (!isGood) refusedBy(outcome, INSUFFICIENT_LIQUIDITY);
    assert.equal(outcome.failure === undefined, isGood);
    assert.equal(vm.amount(base), isGood ? bought : 0n);
    if (isGood) assert.equal(state().sqrtPrice, sqrtPrice);
  }
});

test('all that a curve sells can be bought as an exact amount, and not a unit more', () => {
  const { curve } = launchConfig({ ...INDIE, vesting: undefined });
  const { vm, base, swapOut, state } = openTrading();
  const { sqrtPrice, liquidity } = curve.points[0]!;
  const all = (liquidity * (sqrtPrice - curve.sqrtStartPrice)) / (curve.sqrtStartPrice * sqrtPrice);
  refusedBy(swapOut(true, all + 1n), AMOUNT_LEFT);
  succeeded(swapOut(true, all));
  assert.equal(vm.amount(base), all);
  assert.equal(state().sqrtPrice, sqrtPrice);
});

test('a sale of all that the curve has sold, rounded up, ends at the first price, and takes all of it', () => {
  const { curve } = launchConfig({ ...INDIE, vesting: undefined });
  const { vm, base, swap, state } = openTrading();
  succeeded(swap(true, 7n * ONE));
  const { sqrtPrice, quoteReserve } = state();
  const all = baseBetween(curve.sqrtStartPrice, sqrtPrice, curve.points[0]!.liquidity);
  vm.setAmount(base, all + 1n);
  refusedBy(swap(false, all + 1n), INSUFFICIENT_LIQUIDITY);
  succeeded(swap(false, all));
  assert.equal(vm.amount(base), 1n);
  assert.equal(state().sqrtPrice, curve.sqrtStartPrice);
  assert.ok(state().quoteReserve <= 1n && quoteReserve === 6_930_000_000n);
});

test('a sale that may be filled in part takes what the curve has sold, without a fee of the base', () => {
  const { curve } = launchConfig({ ...INDIE, vesting: undefined });
  const { vm, base, quote, swap, state } = openTrading();
  succeeded(swap(true, 7n * ONE));
  const { sqrtPrice } = state();
  const { liquidity } = curve.points[0]!;
  const before = vm.amount(quote);
  vm.setAmount(base, RICH);
  succeeded(swap(false, RICH, true));
  assert.equal(RICH - vm.amount(base), baseBetween(curve.sqrtStartPrice, sqrtPrice, liquidity));
  const out = (liquidity * (sqrtPrice - curve.sqrtStartPrice)) / ONE_128;
  assert.equal(vm.amount(quote) - before, out - (out + 99n) / 100n);
});

test('a sale may end at the first price where a unit of price is worth several of the base', () => {
  const [start, liquidity] = [2n ** 62n, 2n ** 126n];
  const { vm, base, swap, state } = openTrading((terms) => {
    terms.sqrtStartPrice = start;
    terms.curve = [{ sqrtPrice: 2n * start, liquidity }];
    terms.migrationQuoteThreshold = 2n ** 50n;
    terms.tokenSupply = { preMigrationTokenSupply: 2n ** 62n, postMigrationTokenSupply: 2n ** 62n };
  });
  succeeded(swap(true, beforeFee(1_000n)));
  const { sqrtPrice } = state();
  assert.equal(sqrtPrice - start, 4_000n);
  // Four units of base to one of price: what is three more is not enough for another step down.
  const all = baseBetween(start, sqrtPrice, liquidity);
  assert.equal(all, 16_000n);
  vm.setAmount(base, RICH);
  refusedBy(swap(false, all + 5n), INSUFFICIENT_LIQUIDITY);
  succeeded(swap(false, all + 3n));
  assert.equal(RICH - vm.amount(base), all + 3n);
  assert.equal(state().sqrtPrice, start);
});

test('a sale for all quote of a curve may end at the first price exactly', () => {
  const liquidity = 2n ** 100n;
  const { vm, base, swap, swapOut, state } = openTrading((terms) => {
    const [first, ...rest] = terms.curve as [CurvePoint, ...CurvePoint[]];
    // Each unit of quote moves the price by 2^28.
    terms.curve = [{ ...first, liquidity }, ...rest];
    terms.migrationQuoteThreshold = (liquidity * (first.sqrtPrice - terms.sqrtStartPrice)) >> 129n;
  });
  const start = state().sqrtPrice;
  succeeded(swap(true, 1_000_000n));
  const { quoteReserve, sqrtPrice } = state();
  assert.equal(quoteReserve, 990_000n);
  assert.equal(sqrtPrice - start, quoteReserve << 28n);
  vm.setAmount(base, RICH);
  const got = 980_100n;
  assert.equal(beforeFee(got), quoteReserve);
  refusedBy(swapOut(false, got + 1n), INSUFFICIENT_LIQUIDITY);
  succeeded(swapOut(false, got));
  assert.equal(state().sqrtPrice, start);
  assert.equal(RICH - vm.amount(base), baseBetween(start, sqrtPrice, liquidity));
});

/** A curve of three parts of different liquidity, and its trader, who has bought a little beyond the point of this number. */
function openParts(crossed: 0 | 1) {
  let points: CurvePoint[] = [];
  const trading = openTrading((terms) => {
    const [last, ...rest] = terms.curve as [CurvePoint, ...CurvePoint[]];
    const part = (last.sqrtPrice - terms.sqrtStartPrice) / 3n;
    points = [
      { sqrtPrice: terms.sqrtStartPrice + part, liquidity: last.liquidity },
      { sqrtPrice: terms.sqrtStartPrice + 2n * part, liquidity: last.liquidity / 3n },
      last,
      ...rest,
    ];
    terms.curve = points;
    terms.migrationQuoteThreshold /= 2n;
  });
  let lower = trading.state().sqrtPrice;
  let amount = 1_000_000n;
  for (const { sqrtPrice, liquidity } of points.slice(0, crossed + 1)) {
    amount += (liquidity * (sqrtPrice - lower)) / ONE_128 + 1n;
    lower = sqrtPrice;
  }
  succeeded(trading.swap(true, beforeFee(amount)));
  trading.vm.setAmount(trading.base, RICH);
  const [below, above] = [points[crossed]!, points[crossed + 1]!];
  const { sqrtPrice } = trading.state();
  assert.ok(below.sqrtPrice < sqrtPrice && sqrtPrice < above.sqrtPrice);
  return { ...trading, below, above, before: sqrtPrice };
}

test('of a sale for an exact amount, the last unit below a point of the curve is paid for by the part below', () => {
  for (const crossed of [0, 1] as const) {
    const { vm, base, swapOut, state, below, above, before } = openParts(crossed);
    const held = (above.liquidity * (before - below.sqrtPrice)) / ONE_128;
    const got = ((held + 1n) * 99n) / 100n;
    assert.equal(beforeFee(got), held + 1n);
    succeeded(swapOut(false, got));
    const after = state().sqrtPrice;
    assert.equal(below.sqrtPrice - after, (ONE_128 + below.liquidity - 1n) / below.liquidity);
    const paid =
      baseBetween(below.sqrtPrice, before, above.liquidity) + baseBetween(after, below.sqrtPrice, below.liquidity);
    assert.equal(RICH - vm.amount(base), paid);
  }
});

test('a sale for all quote above a point of the curve ends at that point', () => {
  for (const crossed of [0, 1] as const) {
    const { vm, base, swapOut, state, below, above, before } = openParts(crossed);
    const held = (above.liquidity * (before - below.sqrtPrice)) / ONE_128;
    const got = (held * 99n) / 100n;
    assert.equal(beforeFee(got), held);
    succeeded(swapOut(false, got));
    assert.equal(state().sqrtPrice, below.sqrtPrice);
    assert.equal(RICH - vm.amount(base), baseBetween(below.sqrtPrice, before, above.liquidity));
  }
});

test('a sale of a single unit moves the price by the liquidity of the part that it is in', () => {
  for (const crossed of [0, 1] as const) {
    const { swap, state, above, before } = openParts(crossed);
    succeeded(swap(false, 1n));
    const sum = above.liquidity + before;
    assert.equal(state().sqrtPrice, (above.liquidity * before + sum - 1n) / sum);
  }
});

test('a sale for more than the curve can pay says first what is wrong with its fee', () => {
  const { vm, launched, base, swapOut } = openTrading();
  vm.setAmount(base, RICH);
  refusedBy(swapOut(false, 2n ** 64n - 1n), TYPE_CAST);
  refusedBy(swapOut(false, RICH), INSUFFICIENT_LIQUIDITY);
  const { config } = launched.pool;
  vm.patch(config, FEE_FREQUENCY_AT, u64(1n));
  vm.patch(config, FEE_REDUCTION_AT, u64(ONE));
  vm.patch(config, FEE_PERIODS_AT, Uint8Array.of(1, 0));
  vm.svm.warpToSlot(vm.svm.getClock().slot + 20n);
  refusedBy(swapOut(false, RICH), MATH_OVERFLOW);
});

test('a part of a curve with next to no liquidity is crossed for a unit of quote, upwards and downwards', () => {
  let points: CurvePoint[] = [];
  const { vm, base, swap, state } = openTrading((terms) => {
    const [first, ...rest] = terms.curve as [CurvePoint, ...CurvePoint[]];
    const middle = terms.sqrtStartPrice + (first.sqrtPrice - terms.sqrtStartPrice) / 10n;
    points = [{ ...first, sqrtPrice: middle }, { sqrtPrice: middle + 1_000_000_000n, liquidity: 1n }, first, ...rest];
    terms.curve = points;
    terms.migrationQuoteThreshold /= 2n;
  });
  const [below, thin, above] = points as [CurvePoint, CurvePoint, CurvePoint];
  const start = state().sqrtPrice;
  succeeded(swap(true, 10n * ONE));
  const { sqrtPrice, quoteReserve } = state();
  const quoteBelow = (below.liquidity * (below.sqrtPrice - start) + ONE_128 - 1n) / ONE_128;
  const spentAbove = quoteReserve - quoteBelow - 1n;
  assert.equal(sqrtPrice, thin.sqrtPrice + (spentAbove << 128n) / above.liquidity);
  vm.setAmount(base, RICH);
  succeeded(swap(false, baseBetween(thin.sqrtPrice, sqrtPrice, above.liquidity) + 1_001n));
  // A unit of base takes it through that part, too.
  const { sqrtPrice: after } = state();
  const sold = below.liquidity + below.sqrtPrice * 1_000n;
  assert.equal(after, (below.liquidity * below.sqrtPrice + sold - 1n) / sold);
});

test('a price of all 64 bits has no room for a fee', () => {
  const [start, liquidity, threshold] = [2n ** 64n, 2n ** 127n, 2n ** 64n - 1n];
  const last = start + 2n * threshold;
  const { swapOut } = openTrading((terms) => {
    terms.sqrtStartPrice = start;
    terms.curve = [{ sqrtPrice: last, liquidity }];
    terms.migrationQuoteThreshold = threshold;
    terms.tokenSupply = { preMigrationTokenSupply: threshold, postMigrationTokenSupply: threshold };
  });
  assert.equal((liquidity * (last - start)) / ONE_128, threshold);
  refusedBy(swapOut(true, (liquidity * (last - start)) / (start * last)), TYPE_CAST);
});
