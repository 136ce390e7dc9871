import type { CurvePoint } from './bonding-curve-math.js';
import { type Codec, list, option, struct, u8, u16, u32, u64, u128 } from './borsh.js';

/** Which of two ways the fee falls: by the same amount, or to the same fraction, each period. */
export const FEE_MODES = { linear: 0, exponential: 1 } as const;

/**
 * The base fee: of 10^9, falling from `cliffFeeNumerator` once every `periodFrequency` slots, `numberOfPeriod` times.
 * `reductionFactor` is of 10^9 for the linear mode and of 10^4 for the exponential one. No periods: all zero.
 */
export interface BaseFee {
  cliffFeeNumerator: bigint;
  numberOfPeriod: number;
  periodFrequency: bigint;
  reductionFactor: bigint;
  mode: number;
}

/** Tokens that the pool's creator gets after the migration: so many a period, and once more at the cliff. Seconds. */
export interface LockedVesting {
  amountPerPeriod: bigint;
  cliffDurationFromMigrationTime: bigint;
  frequency: bigint;
  numberOfPeriod: bigint;
  cliffUnlockAmount: bigint;
}

/** The part of a side's liquidity that is free again after a while. Seconds. */
export interface LiquidityVesting {
  vestingPercentage: number;
  bpsPerPeriod: number;
  numberOfPeriods: number;
  cliffDurationFromMigrationTime: number;
  frequency: number;
}

/** Everything that `createCurveConfig` is told, in the order in which the program reads it. */
export interface BondingCurveConfig {
  baseFee: BaseFee;
  /** A fee on top that grows with volatility: none of ours has one. */
  dynamicFee: undefined;
  /** 0: fees are taken in the quote. */
  collectFeeMode: number;
  /** 1: to DAMM v2. */
  migrationOption: number;
  /** 0: counted in slots. */
  activationType: number;
  /** 0: SPL Token. */
  tokenType: number;
  tokenDecimal: number;
  partnerLiquidityPercentage: number;
  partnerPermanentLockedLiquidityPercentage: number;
  creatorLiquidityPercentage: number;
  creatorPermanentLockedLiquidityPercentage: number;
  migrationQuoteThreshold: bigint;
  sqrtStartPrice: bigint;
  lockedVesting: LockedVesting;
  /** Which of the fixed fees the migrated pool has: 2 is 100, 3 is 200 basis points. */
  migrationFeeOption: number;
  tokenSupply: { preMigrationTokenSupply: bigint; postMigrationTokenSupply: bigint } | undefined;
  creatorTradingFeePercentage: number;
  /** 1: nobody can change the token. */
  tokenUpdateAuthority: number;
  migrationFee: { feePercentage: number; creatorFeePercentage: number };
  migratedPoolFee: { collectFeeMode: number; dynamicFee: number; poolFeeBps: number };
  poolCreationFee: bigint;
  partnerLiquidityVesting: LiquidityVesting;
  creatorLiquidityVesting: LiquidityVesting;
  migratedPoolBaseFeeMode: number;
  migratedPoolMarketCapFee: {
    numberOfPeriod: number;
    sqrtPriceStepBps: number;
    schedulerExpirationDuration: number;
    reductionFactor: bigint;
  };
  enableFirstSwapWithMinFee: number;
  compoundingFeeBps: number;
  padding: number;
  curve: CurvePoint[];
}

const baseFee = struct<BaseFee>({
  cliffFeeNumerator: u64,
  numberOfPeriod: u16,
  periodFrequency: u64,
  reductionFactor: u64,
  mode: u8,
});

const lockedVesting = struct<LockedVesting>({
  amountPerPeriod: u64,
  cliffDurationFromMigrationTime: u64,
  frequency: u64,
  numberOfPeriod: u64,
  cliffUnlockAmount: u64,
});

const liquidityVesting = struct<LiquidityVesting>({
  vestingPercentage: u8,
  bpsPerPeriod: u16,
  numberOfPeriods: u16,
  cliffDurationFromMigrationTime: u32,
  frequency: u32,
});

/** Never there: bytes that have one are none that we know. */
const absent: Codec<undefined> = { encode: () => new Uint8Array(0), decode: () => undefined };

export const bondingCurveConfig: Codec<BondingCurveConfig> = struct<BondingCurveConfig>({
  baseFee,
  dynamicFee: option(absent),
  collectFeeMode: u8,
  migrationOption: u8,
  activationType: u8,
  tokenType: u8,
  tokenDecimal: u8,
  partnerLiquidityPercentage: u8,
  partnerPermanentLockedLiquidityPercentage: u8,
  creatorLiquidityPercentage: u8,
  creatorPermanentLockedLiquidityPercentage: u8,
  migrationQuoteThreshold: u64,
  sqrtStartPrice: u128,
  lockedVesting,
  migrationFeeOption: u8,
  tokenSupply: option(struct({ preMigrationTokenSupply: u64, postMigrationTokenSupply: u64 })),
  creatorTradingFeePercentage: u8,
  tokenUpdateAuthority: u8,
  migrationFee: struct({ feePercentage: u8, creatorFeePercentage: u8 }),
  migratedPoolFee: struct({ collectFeeMode: u8, dynamicFee: u8, poolFeeBps: u16 }),
  poolCreationFee: u64,
  partnerLiquidityVesting: liquidityVesting,
  creatorLiquidityVesting: liquidityVesting,
  migratedPoolBaseFeeMode: u8,
  migratedPoolMarketCapFee: struct({
    numberOfPeriod: u16,
    sqrtPriceStepBps: u16,
    schedulerExpirationDuration: u32,
    reductionFactor: u64,
  }),
  enableFirstSwapWithMinFee: u8,
  compoundingFeeBps: u16,
  padding: u16,
  curve: list(struct<CurvePoint>({ sqrtPrice: u128, liquidity: u128 })),
});
