// Terms of launches for tests: all that Studio can send, and such with one term that is at a limit, or beyond.
import type { BondingCurveConfig } from './bonding-curve-config.js';
import { LEAST_SQRT_PRICE, MOST_SQRT_PRICE } from './bonding-curve-math.js';
import { CurveImpossible, type LaunchChoices, launchConfig, sniperFeeOfSteps, sniperFeeOver } from './index.js';
import type { Random } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const SECONDS = [0, 15_552_000, 15_811_200, 31_536_000];

/** Choices that Studio can send and that a curve can have. */
export function randomChoices(random: Random): LaunchChoices {
  for (;;) {
    const initialMarketCap = BigInt(1 + random(1_000_000)) * 10n ** BigInt(random(11));
    const choices: LaunchChoices = {
      initialMarketCap,
      migrationMarketCap: (initialMarketCap * BigInt(1_001 + random(random(2) === 0 ? 3_000 : 1_000_000))) / 1_000n,
      vesting: random(2) === 0 ? undefined : randomVesting(random),
      ...randomFee(random),
      isLpLocked: random(2) === 0,
    };
    try {
      launchConfig(choices);
      return choices;
    } catch (error) {
      if (!(error instanceof CurveImpossible)) throw error;
    }
  }
}

function randomVesting(random: Random): LaunchChoices['vesting'] {
  const total = BigInt(1 + random(800_000_000));
  const cliffSeconds = SECONDS[random(4)]!;
  if (random(3) === 0) return { total, cliff: total, periods: 0, durationSeconds: 0, cliffSeconds };
  const cliff = random(2) === 0 ? 0n : BigInt(random(Number(total)));
  const periods = [6, 12, 183, 365][random(4)]!;
  if (total - cliff < BigInt(periods)) return { total, cliff: total, periods: 0, durationSeconds: 0, cliffSeconds };
  return { total, cliff, periods, durationSeconds: SECONDS[1 + random(3)]!, cliffSeconds };
}

function randomFee(random: Random): Pick<LaunchChoices, 'feeBps' | 'sniperFee'> {
  const feeBps = random(2) === 0 ? 100 : 200;
  const mode = random(2) === 0 ? 'linear' : 'exponential';
  const kind = random(3);
  if (kind === 0) return { feeBps, sniperFee: undefined };
  if (kind === 1) return { feeBps, sniperFee: sniperFeeOfSteps([98, 197, 300][random(3)]!, feeBps, mode) };
  return { feeBps, sniperFee: sniperFeeOver(60 * (1 + random(5)), feeBps, mode) };
}

// ---- at the limits ----------------------------------------------------------------------------------------------------

type Spoil = (terms: BondingCurveConfig, random: Random) => void;

const oneOf = <T>(random: Random, ...values: T[]): T => values[random(values.length)]!;
const edge = (random: Random, ...values: bigint[]): bigint => oneOf(random, 0n, 1n, U64_MAX, ...values);

const SPOILS: Spoil[] = [
  ({ baseFee }, random) => {
    baseFee.cliffFeeNumerator = edge(random, 2_499_999n, 2_500_000n, 990_000_000n, 990_000_001n, 1_000_000_000n);
  },
  ({ baseFee }, random) => {
    baseFee.numberOfPeriod = oneOf(random, 0, 1, 98, 65_535);
  },
  ({ baseFee }, random) => {
    baseFee.periodFrequency = edge(random);
  },
  ({ baseFee }, random) => {
    baseFee.reductionFactor = edge(random, 9_999n, 10_000n, 10_001n, 10_000_000n, 1_000_000_000n);
  },
  ({ baseFee }, random) => {
    Object.assign(baseFee, { numberOfPeriod: 100, periodFrequency: 1n, mode: random(2) });
    baseFee.reductionFactor = BigInt(random(500));
  },
  (terms, random) => {
    terms.activationType = oneOf(random, 1, 1, 1, 2, 255);
  },
  (terms, random) => {
    terms.tokenDecimal = oneOf(random, 5, 7, 8, 9, 10);
  },
  (terms, random) => {
    terms.creatorLiquidityPercentage = oneOf(random, 0, 50, 91, 255);
  },
  (terms, random) => {
    terms.partnerPermanentLockedLiquidityPercentage = oneOf(random, 1, 10, 255);
  },
  (terms, random) => {
    const locked = random(30);
    terms.creatorPermanentLockedLiquidityPercentage = 0;
    terms.creatorLiquidityPercentage = 0;
    terms.partnerPermanentLockedLiquidityPercentage = locked;
    terms.partnerLiquidityPercentage = 100 - locked - terms.creatorLiquidityVesting.vestingPercentage;
  },
  (terms, random) => {
    terms.migrationQuoteThreshold = edge(
      random,
      (terms.migrationQuoteThreshold * 2n) % 2n ** 64n,
      terms.migrationQuoteThreshold / 2n,
    );
  },
  (terms, random) => {
    const first = terms.curve[0]!.sqrtPrice;
    terms.sqrtStartPrice = oneOf(
      random,
      0n,
      LEAST_SQRT_PRICE - 1n,
      LEAST_SQRT_PRICE,
      first,
      first - 1n,
      MOST_SQRT_PRICE,
    );
  },
  ({ lockedVesting }, random) => {
    lockedVesting.amountPerPeriod = edge(random);
  },
  ({ lockedVesting }, random) => {
    lockedVesting.cliffUnlockAmount = edge(random);
  },
  ({ lockedVesting }, random) => {
    lockedVesting.frequency = edge(random);
  },
  ({ lockedVesting }, random) => {
    lockedVesting.numberOfPeriod = edge(random);
  },
  ({ lockedVesting }, random) => {
    lockedVesting.cliffDurationFromMigrationTime = edge(random);
  },
  (terms, random) => {
    terms.migrationFeeOption = random(6);
  },
  ({ tokenSupply }, random) => {
    tokenSupply!.preMigrationTokenSupply += oneOf(random, -1n, 1n, -(10n ** 14n), U64_MAX - 10n ** 15n);
  },
  ({ tokenSupply }, random) => {
    tokenSupply!.postMigrationTokenSupply -= oneOf(random, -1n, 1n, 10n ** 14n, 10n ** 15n);
  },
  (terms, random) => {
    terms.creatorTradingFeePercentage = oneOf(random, 0, 1, 33, 100, 101, 255);
  },
  (terms, random) => {
    terms.curve = oneOf(random, [], terms.curve.concat(terms.curve), splitCurve(terms, 17), splitCurve(terms, 20));
  },
  (terms, random) => {
    terms.curve[random(terms.curve.length)]!.liquidity = oneOf(random, 0n, 1n, 2n ** 64n, 2n ** 128n - 1n);
  },
  (terms, random) => {
    terms.curve.at(-1)!.sqrtPrice = oneOf(random, 0n, MOST_SQRT_PRICE, MOST_SQRT_PRICE + 1n, 2n ** 128n - 1n);
  },
  ({ baseFee }) => {
    Object.assign(baseFee, { cliffFeeNumerator: 500_000_000n, numberOfPeriod: 100, periodFrequency: 1n, mode: 0 });
    baseFee.reductionFactor = 5_000_000n;
  },
  (terms, random) => {
    terms.curve = splitCurve(terms, 1 + random(14));
    doubleSupply(terms);
  },
  (terms, random) => {
    terms.curve = splitCurve(terms, 2 + random(4));
    for (const point of terms.curve) point.liquidity = ((point.liquidity >> 64n) + 1n) << 64n;
    doubleSupply(terms);
  },
  (terms, random) => {
    terms.curve = splitCurve(terms, 1 + random(14));
    for (const point of terms.curve)
      point.liquidity = ((point.liquidity * BigInt(1 + random(999))) / 500n) % 2n ** 128n;
    doubleSupply(terms);
  },
];

/** Changes one term to something that the program may refuse. */
export function spoilTerms(terms: BondingCurveConfig, random: Random): void {
  SPOILS[random(SPOILS.length)]!(terms, random);
}

/** More segments need more base, by rounding or else. */
function doubleSupply(terms: BondingCurveConfig): void {
  const supply = terms.tokenSupply!.preMigrationTokenSupply * 2n;
  terms.tokenSupply = { preMigrationTokenSupply: supply, postMigrationTokenSupply: supply };
}

/** The same curve in more segments. */
function splitCurve({ curve, sqrtStartPrice }: BondingCurveConfig, parts: number): BondingCurveConfig['curve'] {
  const [first, ...others] = curve as [BondingCurveConfig['curve'][0]];
  const split = Array.from({ length: parts }, (_, i) => ({
    sqrtPrice: sqrtStartPrice + ((first.sqrtPrice - sqrtStartPrice) * BigInt(i + 1)) / BigInt(parts),
    liquidity: first.liquidity,
  }));
  return [...split, ...others];
}
