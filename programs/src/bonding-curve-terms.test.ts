// The terms of a launch at the bounds of what the program takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDIE, standInVm } from './bonding-curve-testing.js';
import { RICH, refusedBy } from './bonding-curve-trades-testing.js';
import { type BondingCurveConfig, createCurveConfig, launchConfig } from './index.js';
import { newAddress, type Outcome, succeeded, u64 } from './test-vm.js';

const DAY = 86_400;
const YEAR = 365 * DAY;
const LEAST_PRICE = 4_295_048_016n;
const MOST_PRICE = 79_226_673_521_066_979_257_578_248_091n;
const MOST = 2n ** 64n - 1n;
const [MATH_OVERFLOW, INVALID_FEE, TYPE_CAST, INVALID_OPTION, NOT_ENOUGH] = [6000, 6001, 6006, 6010, 6012];
const [INVALID_SHARES, INVALID_SUPPLY, INVALID_CURVE, INVALID_VESTING] = [6018, 6020, 6021, 6031];
const [INVALID_SCHEDULE, NOT_LOCKED] = [6034, 6055];

type Change = (terms: BondingCurveConfig) => void;

function create(change: Change): { outcome: Outcome; data: Buffer } {
  const vm = standInVm();
  const terms = structuredClone(launchConfig({ ...INDIE, vesting: undefined }).terms);
  change(terms);
  const [config, quoteMint] = [newAddress(), vm.mint({ decimals: 6, supply: RICH })];
  const people = { feeClaimer: newAddress(), leftoverReceiver: newAddress(), payer: vm.payer };
  const outcome = vm.run(createCurveConfig({ config, quoteMint, terms, ...people }));
  return { outcome, data: vm.data(config) };
}

/** Each of these terms is taken, or is refused with this error. */
function assertTerms(cases: Record<string, readonly [error: number | undefined, change: Change]>): void {
  for (const [what, [error, change]] of Object.entries(cases)) {
    const { outcome } = create(change);
    if (error === undefined) assert.equal(outcome.failure, undefined, `${what}\n${outcome.logs.join('\n')}`);
    else refusedBy(outcome, error, what);
  }
}

const fee =
  (numberOfPeriod: number, periodFrequency: bigint, reductionFactor: bigint): Change =>
  ({ baseFee }) =>
    Object.assign(baseFee, { numberOfPeriod, periodFrequency, reductionFactor, cliffFeeNumerator: 10_000_000n });
const startFee =
  (cliffFeeNumerator: bigint): Change =>
  ({ baseFee }) =>
    Object.assign(baseFee, { cliffFeeNumerator });
const locked =
  (cliffDurationFromMigrationTime: number, vestingPercentage: number, forGood: number): Change =>
  (terms) => {
    Object.assign(terms.creatorLiquidityVesting, { cliffDurationFromMigrationTime, vestingPercentage });
    terms.creatorPermanentLockedLiquidityPercentage = forGood;
    terms.creatorLiquidityPercentage = 100 - vestingPercentage - forGood;
  };
const vesting =
  (amountPerPeriod: bigint, numberOfPeriod: bigint, cliffUnlockAmount: bigint): Change =>
  ({ lockedVesting }) =>
    Object.assign(lockedVesting, { amountPerPeriod, numberOfPeriod, cliffUnlockAmount, frequency: 1n });
const shares =
  (...percentages: [number, number, number, number]): Change =>
  (terms) => {
    terms.creatorLiquidityVesting = { ...terms.partnerLiquidityVesting };
    const [creator, creatorLocked, partner, partnerLocked] = percentages;
    terms.creatorLiquidityPercentage = creator;
    terms.creatorPermanentLockedLiquidityPercentage = creatorLocked;
    terms.partnerLiquidityPercentage = partner;
    terms.partnerPermanentLockedLiquidityPercentage = partnerLocked;
  };

test('a fee that falls has periods, a time and a reduction, or none of them', () => {
  assertTerms({
    'a single period, of a single slot, by a single unit': [undefined, fee(1, 1n, 1n)],
    'no periods': [INVALID_SCHEDULE, fee(0, 1n, 1n)],
    'no time': [INVALID_SCHEDULE, fee(1, 0n, 1n)],
    'no reduction': [INVALID_SCHEDULE, fee(1, 1n, 0n)],
    'all of the amount': [INVALID_FEE, startFee(1_000_000_000n)],
    'more than the amount': [INVALID_FEE, startFee(1_000_000_001n)],
    'a unit less than all': [6003, startFee(999_999_999n)],
  });
});

test('the shares of liquidity are a hundred in a hundred, a tenth of which stays for more than a day, and none for more than two years', () => {
  assertTerms({
    'a share of 255': [INVALID_SHARES, shares(255, 0, 0, 0)],
    'shares of 256': [MATH_OVERFLOW, shares(128, 128, 0, 0)],
    'a day and a second': [undefined, locked(DAY + 1, 10, 0)],
    'a day': [NOT_LOCKED, locked(DAY, 10, 0)],
    'a day, and nine for good': [NOT_LOCKED, locked(DAY, 10, 9)],
    'ten for good': [undefined, locked(DAY, 10, 10)],
    'two years': [undefined, locked(2 * YEAR, 10, 0)],
    'two years and a second': [INVALID_VESTING, locked(2 * YEAR + 1, 10, 0)],
    'all 32 bits of seconds': [INVALID_VESTING, locked(2 ** 32 - 1, 10, 0)],
    'all of it': [undefined, locked(DAY + 1, 100, 0)],
    'more than all of it': [TYPE_CAST, (terms) => (terms.creatorLiquidityVesting.vestingPercentage = 101)],
    // Of two faults, the earlier one is told.
    'two years and a second, and too many decimals': [
      INVALID_VESTING,
      (terms) => {
        locked(2 * YEAR + 1, 10, 0)(terms);
        terms.tokenDecimal = 10;
      },
    ],
  });
});

test('vested tokens are fewer than 2^64, and are counted in the supply', () => {
  assertTerms({
    'all at once and in parts, of more than 64 bits': [MATH_OVERFLOW, vesting(MOST, 1n, 1n)],
    'in parts of more than 64 bits': [MATH_OVERFLOW, vesting(2n ** 63n, 2n, 0n)],
    // Of two faults, the later one is told.
    'in parts of all 64 bits': [
      INVALID_CURVE,
      (terms) => {
        vesting(MOST, 1n, 0n)(terms);
        terms.sqrtStartPrice = 1n;
      },
    ],
    'none, every second': [INVALID_VESTING, vesting(0n, 0n, 0n)],
    'more than there is beside what is sold': [INVALID_SUPPLY, vesting(1_000_000_000_000n, 1n, 0n)],
  });
});

test('the option of the migrated pool’s fee is one of six', () => {
  assertTerms({
    'the last': [undefined, (terms) => (terms.migrationFeeOption = 5)],
    another: [INVALID_OPTION, (terms) => (terms.migrationFeeOption = 6)],
  });
});

const up = (value: bigint, by: bigint) => (value + by - 1n) / by;
/** A curve of these points: [price, liquidity]. */
const curve =
  (start: bigint, threshold: bigint, supply: bigint, ...points: [bigint, bigint][]): Change =>
  (terms) => {
    terms.sqrtStartPrice = start;
    terms.migrationQuoteThreshold = threshold;
    terms.curve = points.map(([sqrtPrice, liquidity]) => ({ sqrtPrice, liquidity }));
    terms.tokenSupply = { preMigrationTokenSupply: supply, postMigrationTokenSupply: supply };
  };
/** Square root of the price 1, and of the least price; so much liquidity has a unit of quote a unit of that. */
const [ONE, UNIT] = [2n ** 64n, 2n ** 128n];

test('a curve begins in the range of prices, and has the quote for its migration', () => {
  const low = (start: bigint) => curve(start, 2n, MOST, [2n ** 60n, up(2n * UNIT, 2n ** 60n - start)]);
  const thin = 2_000_000n * ONE + 1n;
  const quote = up(thin * ONE, UNIT);
  assertTerms({
    'at the least price': [undefined, low(LEAST_PRICE)],
    'below it': [INVALID_CURVE, low(LEAST_PRICE - 1n)],
    'beyond the most': [INVALID_CURVE, curve(MOST_PRICE, 1n, MOST, [MOST_PRICE + 1n, ONE])],
    'with a unit of quote too little': [NOT_ENOUGH, curve(ONE, quote + 1n, MOST, [2n * ONE, thin])],
  });
  const { outcome, data } = create(curve(ONE, quote, MOST, [2n * ONE, thin]));
  succeeded(outcome);
  assert.equal(number(data, MIGRATION_PRICE_AT), 2n * ONE);
});

const CURVE_AT = 408;
const [SWAP_BASE_AT, MIGRATION_BASE_AT, MIGRATION_PRICE_AT] = [256, 272, 280];
const number = (data: Buffer, at: number) => data.readBigUInt64LE(at) | (data.readBigUInt64LE(at + 8) << 64n);

test('a migration needs no more base than there can be', () => {
  const end = 2n * LEAST_PRICE - 2n ** 20n;
  assertTerms({
    'of more liquidity than 128 bits': [TYPE_CAST, curve(LEAST_PRICE, 1n, MOST, [LEAST_PRICE + 1n, UNIT - 1n])],
    'of more than 64 bits': [MATH_OVERFLOW, curve(end - 1024n, 2n, MOST, [end, UNIT / 512n])],
  });
});

test('the supply has room for what is sold and a quarter more, for the migration, and for what is vested', () => {
  const start = 2n ** 33n;
  const steep = (quote: bigint): [bigint, bigint] => [2n ** 43n, (quote * UNIT) / (2n ** 43n - start)];
  const long: [bigint, bigint] = [ONE, 2n ** 110n];
  const with64 =
    (vested: bigint, change: Change): Change =>
    (terms) => {
      change(terms);
      vesting(0n, 0n, vested)(terms);
    };
  assertTerms({
    'of which a quarter more is too many': [MATH_OVERFLOW, curve(start, 3_600n, MOST, steep(3_601n))],
    'of more than 64 bits with what is vested': [
      MATH_OVERFLOW,
      with64(MOST, curve(start, 1_000n, MOST, steep(1_001n))),
    ],
    'of more than 64 bits with the quarter': [
      MATH_OVERFLOW,
      with64(2n ** 62n, curve(start, 2_600n, MOST, steep(2_601n), long)),
    ],
    'of two units': [undefined, curve(2n ** 80n, 2n ** 34n, 10n, [2n ** 81n, 2n ** 82n])],
  });
});

test('a supply of exactly what is needed is enough, up to all 64 bits', () => {
  const liquidity = 10n ** 9n * ONE;
  const more: [bigint, bigint] = [3n * ONE, 100n * liquidity];
  for (const [points, isBuffered] of [
    [[[2n * ONE, liquidity], more], true],
    [[[2n * ONE, liquidity]], false],
  ] as [[bigint, bigint][], boolean][]) {
    const { outcome, data } = create(curve(ONE, 10n ** 9n, MOST, ...points));
    succeeded(outcome);
    const [sold, migrated] = [SWAP_BASE_AT, MIGRATION_BASE_AT].map((at) => data.readBigUInt64LE(at)) as [
      bigint,
      bigint,
    ];
    const needed = migrated + (isBuffered ? sold + sold / 4n : sold);
    refusedBy(create(curve(ONE, 10n ** 9n, needed - 1n, ...points)).outcome, INVALID_SUPPLY);
    succeeded(create(curve(ONE, 10n ** 9n, needed, ...points)).outcome);
    const all = create((terms) => {
      curve(ONE, 10n ** 9n, MOST, ...points)(terms);
      vesting(0n, 0n, MOST - needed)(terms);
    });
    succeeded(all.outcome);
  }
});

test('a curve of sixteen points is written as it was asked for, and told in its events', () => {
  const points = Array.from({ length: 16 }, (_, i) => [
    ONE + (ONE / 16n) * BigInt(i + 1),
    ONE * (10n ** 9n + BigInt(i)),
  ]);
  const { outcome, data } = create(curve(ONE, 9n * 10n ** 8n, MOST, ...(points as [bigint, bigint][])));
  const told = succeeded(outcome).calls().slice(-2);
  const bytes = Buffer.concat(points.flat().map((value) => Buffer.concat([u64(value % ONE), u64(value / ONE)])));
  assert.deepEqual(data.subarray(CURVE_AT, CURVE_AT + bytes.length), bytes);
  for (const event of told) assert.deepEqual(Buffer.from(event.data).subarray(-bytes.length), bytes);
});
