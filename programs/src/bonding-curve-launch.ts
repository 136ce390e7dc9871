import {
  type BaseFee,
  type BondingCurveConfig,
  FEE_MODES,
  type LiquidityVesting,
  type LockedVesting,
} from './bonding-curve-config.js';
import { type Curve, curveBetween, FEE_PER_BPS } from './bonding-curve-math.js';

export const LAUNCH_DECIMALS = 6;
/** Tokens that every launch makes, in the smallest unit: 1,000,000,000 whole ones. */
export const LAUNCH_SUPPLY = 1_000_000_000n * 10n ** BigInt(LAUNCH_DECIMALS);
/** Of the trading fees, in percent, the rest is the operator's. */
export const CREATOR_FEE_PERCENTAGE = 50;

const YEAR_SECONDS = 31_536_000;
/** So much of the liquidity the program wants locked. (Of what is locked for a while, it counts a little less.) */
const LEAST_LOCKED_PERCENTAGE = 10;
/** Basis points that a fee against snipers begins at, and by which it falls a step. */
const SNIPER_FEE_BPS = 9_900;
const SNIPER_STEP_BPS = 100;

const NO_LIQUIDITY_VESTING: LiquidityVesting = {
  vestingPercentage: 0,
  bpsPerPeriod: 0,
  numberOfPeriods: 0,
  cliffDurationFromMigrationTime: 0,
  frequency: 0,
};
/** All of it at the cliff. */
const HALF_FOR_A_YEAR: LiquidityVesting = {
  vestingPercentage: 50,
  bpsPerPeriod: 0,
  numberOfPeriods: 0,
  cliffDurationFromMigrationTime: YEAR_SECONDS,
  frequency: 0,
};

/** What its creator chooses of a launch. Amounts in the smallest unit. */
export interface LaunchChoices {
  initialMarketCap: bigint;
  migrationMarketCap: bigint;
  vesting: LaunchVesting | undefined;
  feeBps: 100 | 200;
  /** The fee begins at 99 % and falls to `feeBps`; undefined: it is `feeBps` from the first slot. */
  sniperFee: SniperFee | undefined;
  isLpLocked: boolean;
}

/** Tokens that the creator gets after the migration. Seconds. */
export interface LaunchVesting {
  /** In whole tokens, as is `cliff`: what of it comes at once when the cliff is over. */
  total: bigint;
  cliff: bigint;
  /** Of the rest, which comes in so many equal parts over the duration; 0 where there is no rest. */
  periods: number;
  durationSeconds: number;
  cliffSeconds: number;
}

export interface SniperFee {
  mode: keyof typeof FEE_MODES;
  periods: number;
  slotsPerPeriod: number;
}

/** A fee against snipers that falls by exactly 1 % a step, over the most slots that are not above `slots`. */
export function sniperFeeOfSteps(slots: number, feeBps: number, mode: SniperFee['mode']): SniperFee {
  const periods = (SNIPER_FEE_BPS - feeBps) / SNIPER_STEP_BPS;
  return { mode, periods, slotsPerPeriod: Math.max(1, Math.floor(slots / periods)) };
}

/** A fee against snipers that falls over exactly so many slots, in the most equal steps that are at least 1 %. */
export function sniperFeeOver(slots: number, feeBps: number, mode: SniperFee['mode']): SniperFee {
  const most = (SNIPER_FEE_BPS - feeBps) / SNIPER_STEP_BPS;
  let slotsPerPeriod = Math.ceil(slots / most);
  while (slots % slotsPerPeriod !== 0) slotsPerPeriod++;
  return { mode, periods: slots / slotsPerPeriod, slotsPerPeriod };
}

/**
 * The configuration of a launch, and its curve: fees are taken in the quote and shared by creator and operator, nobody
 * can change or mint the token, and the pool that the creator's liquidity migrates to keeps the fee.
 * @throws CurveImpossible
 */
export function launchConfig(choices: LaunchChoices): { terms: BondingCurveConfig; curve: Curve } {
  const { initialMarketCap, migrationMarketCap, feeBps, isLpLocked } = choices;
  const lockedVesting = vestingTerms(choices.vesting);
  const vested = lockedVesting.cliffUnlockAmount + lockedVesting.amountPerPeriod * lockedVesting.numberOfPeriod;
  const curve = curveBetween({ initialMarketCap, migrationMarketCap, supply: LAUNCH_SUPPLY, vested });
  const terms: BondingCurveConfig = {
    baseFee: baseFeeTerms(feeBps, choices.sniperFee),
    dynamicFee: undefined,
    collectFeeMode: 0,
    migrationOption: 1,
    activationType: 0,
    tokenType: 0,
    tokenDecimal: LAUNCH_DECIMALS,
    ...liquidityTerms(isLpLocked),
    migrationQuoteThreshold: curve.quoteThreshold,
    sqrtStartPrice: curve.sqrtStartPrice,
    lockedVesting,
    migrationFeeOption: feeBps === 100 ? 2 : 3,
    tokenSupply: { preMigrationTokenSupply: LAUNCH_SUPPLY, postMigrationTokenSupply: LAUNCH_SUPPLY },
    creatorTradingFeePercentage: CREATOR_FEE_PERCENTAGE,
    tokenUpdateAuthority: 1,
    migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
    migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
    poolCreationFee: 0n,
    migratedPoolBaseFeeMode: 0,
    migratedPoolMarketCapFee: {
      numberOfPeriod: 0,
      sqrtPriceStepBps: 0,
      schedulerExpirationDuration: 0,
      reductionFactor: 0n,
    },
    enableFirstSwapWithMinFee: 0,
    compoundingFeeBps: 0,
    padding: 0,
    curve: curve.points,
  };
  return { terms, curve };
}

/** In whole tokens a period; what does not divide comes with the cliff, so that all of it comes. */
function vestingTerms(vesting: LaunchVesting | undefined): LockedVesting {
  if (!vesting) {
    return {
      amountPerPeriod: 0n,
      cliffDurationFromMigrationTime: 0n,
      frequency: 0n,
      numberOfPeriod: 0n,
      cliffUnlockAmount: 0n,
    };
  }
  const { total, cliff, cliffSeconds } = vesting;
  // The program wants a period in any case: the last token comes a second after the others.
  const atOnce = total === cliff;
  const periods = atOnce ? 1n : BigInt(vesting.periods);
  const perPeriod = atOnce ? 1n : (total - cliff) / periods;
  const unit = 10n ** BigInt(LAUNCH_DECIMALS);
  return {
    amountPerPeriod: perPeriod * unit,
    cliffDurationFromMigrationTime: BigInt(cliffSeconds),
    frequency: atOnce ? 1n : BigInt(vesting.durationSeconds) / periods,
    numberOfPeriod: periods,
    cliffUnlockAmount: (total - perPeriod * periods) * unit,
  };
}

function baseFeeTerms(feeBps: number, sniperFee: SniperFee | undefined): BaseFee {
  const fee = BigInt(feeBps) * FEE_PER_BPS;
  if (!sniperFee) {
    return {
      cliffFeeNumerator: fee,
      numberOfPeriod: 0,
      periodFrequency: 0n,
      reductionFactor: 0n,
      mode: FEE_MODES.linear,
    };
  }
  const { mode, periods, slotsPerPeriod } = sniperFee;
  const cliffFeeNumerator = BigInt(SNIPER_FEE_BPS) * FEE_PER_BPS;
  // Rounded down in both modes: the fee never falls below what was asked for.
  const reductionFactor =
    mode === 'linear'
      ? (cliffFeeNumerator - fee) / BigInt(periods)
      : BigInt(Math.floor(10_000 * (1 - (feeBps / SNIPER_FEE_BPS) ** (1 / periods))));
  return {
    cliffFeeNumerator,
    numberOfPeriod: periods,
    periodFrequency: BigInt(slotsPerPeriod),
    reductionFactor,
    mode: FEE_MODES[mode],
  };
}

type LiquidityTerms = Pick<
  BondingCurveConfig,
  | 'partnerLiquidityPercentage'
  | 'partnerPermanentLockedLiquidityPercentage'
  | 'creatorLiquidityPercentage'
  | 'creatorPermanentLockedLiquidityPercentage'
  | 'partnerLiquidityVesting'
  | 'creatorLiquidityVesting'
>;

/** All of the liquidity is the creator's. Locked: half for good, half for a year. Else: the least that the program permits. */
function liquidityTerms(isLpLocked: boolean): LiquidityTerms {
  return {
    partnerLiquidityPercentage: 0,
    partnerPermanentLockedLiquidityPercentage: 0,
    creatorLiquidityPercentage: isLpLocked ? 0 : 100 - LEAST_LOCKED_PERCENTAGE,
    creatorPermanentLockedLiquidityPercentage: isLpLocked ? 50 : LEAST_LOCKED_PERCENTAGE,
    partnerLiquidityVesting: NO_LIQUIDITY_VESTING,
    creatorLiquidityVesting: isLpLocked ? HALF_FOR_A_YEAR : NO_LIQUIDITY_VESTING,
  };
}
