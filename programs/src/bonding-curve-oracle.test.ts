import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as sdk from '@meteora-ag/dynamic-bonding-curve-sdk';
import { type Address, generateKeypair, type Instruction, WRAPPED_SOL_MINT } from '@slipway/wire';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { INDIE } from './bonding-curve-testing.js';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_EVENTS,
  type BondingCurveConfig,
  bondingCurvePool,
  createCurveConfig,
  type LaunchChoices,
  launchConfig,
  MIGRATED_POOL_CONFIGS,
  migratedPool,
  parseCreateCurveConfig,
  sniperFeeOver,
} from './index.js';

// Meteora's own library says what is right.

const HALF_A_YEAR = 15_552_000;

const vestings = fc.option(
  fc
    .record({
      total: fc.integer({ min: 10_000, max: 800_000_000 }),
      cliffShare: fc.integer({ min: 0, max: 100 }),
      periods: fc.constantFrom(6, 12, 183, 365),
      durationSeconds: fc.constantFrom(HALF_A_YEAR, 31_536_000),
      cliffSeconds: fc.constantFrom(0, HALF_A_YEAR),
    })
    .map(({ total, cliffShare, ...rest }) => ({
      ...rest,
      total: BigInt(total),
      cliff: BigInt(Math.floor((total * Math.min(cliffShare, 90)) / 100)),
    })),
  { nil: undefined },
);

const launches: fc.Arbitrary<LaunchChoices & { decimals: 6 | 9 }> = fc
  .record({
    decimals: fc.constantFrom(6 as const, 9 as const),
    initial: fc.integer({ min: 100, max: 10_000_000 }),
    factor: fc.integer({ min: 2, max: 500 }),
    vesting: vestings,
    feeBps: fc.constantFrom(100 as const, 200 as const),
    duration: fc.option(fc.constantFrom(60, 120, 180, 240, 300), { nil: undefined }),
    mode: fc.constantFrom('linear' as const, 'exponential' as const),
    isLpLocked: fc.boolean(),
  })
  .map(({ decimals, initial, factor, feeBps, duration, mode, ...rest }) => ({
    decimals,
    feeBps,
    ...rest,
    initialMarketCap: BigInt(initial) * 10n ** BigInt(decimals),
    migrationMarketCap: BigInt(initial * factor) * 10n ** BigInt(decimals),
    sniperFee: duration === undefined ? undefined : sniperFeeOver(duration, feeBps, mode),
  }));

function theirs(choices: LaunchChoices & { decimals: number }) {
  const { initialMarketCap, migrationMarketCap, vesting, feeBps, sniperFee, isLpLocked, decimals } = choices;
  const unit = 10 ** decimals;
  const schedule = sniperFee
    ? {
        startingFeeBps: 9_900,
        endingFeeBps: feeBps,
        numberOfPeriod: sniperFee.periods,
        totalDuration: sniperFee.periods * sniperFee.slotsPerPeriod,
      }
    : { startingFeeBps: feeBps, endingFeeBps: feeBps, numberOfPeriod: 0, totalDuration: 0 };
  const exponential = sniperFee?.mode === 'exponential';
  return sdk.buildCurveWithMarketCap({
    token: {
      tokenType: sdk.TokenType.SPLToken,
      tokenBaseDecimal: 6,
      tokenQuoteDecimal: decimals,
      tokenAuthorityOption: sdk.TokenAuthorityOption.Immutable,
      totalTokenSupply: 1_000_000_000,
      leftover: 0,
    },
    fee: {
      baseFeeParams: {
        baseFeeMode: exponential ? sdk.BaseFeeMode.FeeSchedulerExponential : sdk.BaseFeeMode.FeeSchedulerLinear,
        feeSchedulerParam: schedule,
      },
      dynamicFeeEnabled: false,
      collectFeeMode: sdk.CollectFeeMode.QuoteToken,
      creatorTradingFeePercentage: 50,
      poolCreationFee: 0,
      enableFirstSwapWithMinFee: false,
    },
    migration: {
      migrationOption: sdk.MigrationOption.MET_DAMM_V2,
      migrationFeeOption: feeBps === 100 ? sdk.MigrationFeeOption.FixedBps100 : sdk.MigrationFeeOption.FixedBps200,
      migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
    },
    liquidityDistribution: {
      partnerLiquidityPercentage: 0,
      partnerPermanentLockedLiquidityPercentage: 0,
      creatorLiquidityPercentage: isLpLocked ? 50 : 90,
      creatorPermanentLockedLiquidityPercentage: isLpLocked ? 50 : 10,
    },
    lockedVesting: {
      totalLockedVestingAmount: Number(vesting?.total ?? 0),
      cliffUnlockAmount: Number(vesting?.cliff ?? 0),
      numberOfVestingPeriod: vesting?.periods ?? 0,
      totalVestingDuration: vesting?.durationSeconds ?? 0,
      cliffDurationFromMigrationTime: vesting?.cliffSeconds ?? 0,
    },
    activationType: sdk.ActivationType.Slot,
    initialMarketCap: Number(initialMarketCap) / unit,
    migrationMarketCap: Number(migrationMarketCap) / unit,
  });
}

/** With very large market caps the library makes curves that lack a few units, and says so. */
function theirsOrNone(choices: LaunchChoices & { decimals: number }): ReturnType<typeof theirs> | undefined {
  try {
    return theirs(choices);
  } catch (error) {
    if ((error as Error).message.startsWith('Not enough liquidity')) return undefined;
    throw error;
  }
}

const big = (value: { toString(): string }): bigint => BigInt(value.toString());

function distance(ours: bigint, other: { toString(): string }): bigint {
  const difference = ours - big(other);
  return difference < 0n ? -difference : difference;
}

/** Whether two figures differ by less than one part in so many. */
function isNear(ours: bigint, other: { toString(): string }, parts: bigint): boolean {
  return distance(ours, other) * parts <= ours;
}

describe('a launch as Meteora’s library makes it', () => {
  it('has the same curve, vesting and fee', () => {
    const property = fc.property(launches, (choices) => {
      const { terms, curve } = launchConfig(choices);
      const other = theirsOrNone(choices);
      fc.pre(other !== undefined);
      assert.ok(distance(curve.quoteThreshold, other.migrationQuoteThreshold) <= 1n, 'threshold');
      assert.ok(isNear(curve.points[0]!.sqrtPrice, other.curve[0]!.sqrtPrice, 10n ** 14n), 'last price');
      // Theirs is derived from what the migrated pool holds, of which a little lies at prices that no curve reaches.
      assert.ok(isNear(curve.sqrtStartPrice, other.sqrtStartPrice, 200_000n), 'first price');
      assert.ok(isNear(curve.points[0]!.liquidity, other.curve[0]!.liquidity, 100_000n), 'liquidity');
      for (const [name, value] of Object.entries(terms.lockedVesting)) {
        assert.equal(value, big(other.lockedVesting[name as keyof typeof other.lockedVesting]), name);
      }
      const { cliffFeeNumerator, firstFactor, secondFactor, thirdFactor, baseFeeMode } = other.poolFees.baseFee;
      const fee = terms.baseFee;
      assert.deepEqual(
        [fee.cliffFeeNumerator, fee.numberOfPeriod, fee.periodFrequency, fee.reductionFactor, fee.mode],
        [big(cliffFeeNumerator), firstFactor, big(secondFactor), big(thirdFactor), baseFeeMode],
      );
    });
    fc.assert(property, { numRuns: 300, includeErrorInReport: true });
  });

  it('raises what is published of the presets', () => {
    assert.equal(launchConfig(INDIE).curve.quoteThreshold, 57_775_440_324n);
    const without = { ...INDIE, vesting: undefined };
    const raises = (initial: bigint, migration: bigint) =>
      launchConfig({ ...without, initialMarketCap: initial, migrationMarketCap: migration }).curve.quoteThreshold;
    assert.equal(raises(16_000_000_000n, 69_000_000_000n) / 10_000n, 2_242_694n);
    assert.equal(raises(5_000_000_000n, 75_000_000_000n) / 10_000n, 1_539_098n);
  });

  it('is the same instruction, to the byte', async () => {
    const [config, payer, operator, quoteMint] = Array.from(
      { length: 4 },
      () => generateKeypair().address,
    ) as Address[];
    const { terms } = launchConfig({ ...INDIE, isLpLocked: true });
    const made = createCurveConfig({
      ...people(operator!),
      config: config!,
      quoteMint: quoteMint!,
      payer: payer!,
      terms,
    });
    const client = sdk.DynamicBondingCurveClient.create({ rpcEndpoint: '' } as never, 'confirmed');
    const program = (client.partner as unknown as { program: AnchorProgram }).program;
    const other = await program.methods
      .createConfig(inTheirWords(terms, theirs({ ...INDIE, decimals: 6 })))
      .accountsPartial({
        config: key(config!),
        feeClaimer: key(operator!),
        leftoverReceiver: key(operator!),
        quoteMint: key(quoteMint!),
        payer: key(payer!),
      })
      .instruction();
    assertSame(made, other);
    assert.deepEqual(parseCreateCurveConfig(made)?.terms, terms);
  });

  it('has the same addresses', () => {
    for (let i = 0; i < 20; i++) {
      const [config, mint] = [generateKeypair().address, generateKeypair().address];
      const pool = bondingCurvePool(config, mint, WRAPPED_SOL_MINT);
      const theirPool = sdk.deriveDbcPoolAddress(key(WRAPPED_SOL_MINT), key(mint), key(config));
      assert.equal(pool.pool, theirPool.toBase58());
      assert.equal(pool.baseVault, sdk.deriveDbcTokenVaultAddress(theirPool, key(mint)).toBase58());
      assert.equal(pool.quoteVault, sdk.deriveDbcTokenVaultAddress(theirPool, key(WRAPPED_SOL_MINT)).toBase58());
      assert.equal(pool.metadata, sdk.deriveMintMetadata(key(mint)).toBase58());
      const damm = sdk.deriveDammV2PoolAddress(key(config), key(mint), key(WRAPPED_SOL_MINT)).toBase58();
      assert.equal(migratedPool(config, mint, WRAPPED_SOL_MINT), damm);
    }
    assert.equal(BONDING_CURVE_AUTHORITY, sdk.deriveDbcPoolAuthority().toBase58());
    assert.equal(BONDING_CURVE_EVENTS, sdk.deriveDbcEventAuthority().toBase58());
    assert.deepEqual(
      MIGRATED_POOL_CONFIGS,
      sdk.DAMM_V2_MIGRATION_FEE_ADDRESS.map((each) => each.toBase58()),
    );
  });
});

interface AnchorProgram {
  methods: {
    createConfig(config: unknown): {
      accountsPartial(accounts: object): { instruction(): Promise<TransactionInstruction> };
    };
  };
}

function people(operator: Address) {
  return { feeClaimer: operator, leftoverReceiver: operator };
}

function key(address: Address): PublicKey {
  return new PublicKey(address);
}

/** Their configuration with our figures of the curve, which theirs come close to, and with the vesting of liquidity. */
function inTheirWords(terms: BondingCurveConfig, other: ReturnType<typeof theirs>): unknown {
  const BN = other.sqrtStartPrice.constructor as new (value: string) => unknown;
  const of = (value: bigint) => new BN(value.toString());
  return {
    ...other,
    creatorLiquidityPercentage: terms.creatorLiquidityPercentage,
    creatorLiquidityVestingInfo: terms.creatorLiquidityVesting,
    migrationQuoteThreshold: of(terms.migrationQuoteThreshold),
    sqrtStartPrice: of(terms.sqrtStartPrice),
    curve: terms.curve.map(({ sqrtPrice, liquidity }) => ({ sqrtPrice: of(sqrtPrice), liquidity: of(liquidity) })),
    padding: [0, 0],
  };
}

function assertSame(made: Instruction, other: TransactionInstruction): void {
  assert.equal(made.program, other.programId.toBase58());
  assert.equal(Buffer.from(made.data).toString('hex'), other.data.toString('hex'));
  assert.deepEqual(
    made.accounts.map(({ address, signer, writable }) => [address, Boolean(signer), Boolean(writable)]),
    other.keys.map(({ pubkey, isSigner, isWritable }) => [pubkey.toBase58(), isSigner, isWritable]),
  );
}
