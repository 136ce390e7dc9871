import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { associatedTokenAddress, setComputeUnitLimit } from '@slipway/wire';
import { type BondingCurvePoolState, decodeBondingCurveConfig, decodeBondingCurvePool } from './bonding-curve-state.js';
import { INDIE, type Launched, launch, launchVm, standInVm, withoutPrograms } from './bonding-curve-testing.js';
import {
  type BondingCurvePool,
  claimCreatorFee,
  curveSwap,
  dammV2Pool,
  type LaunchChoices,
  launchConfig,
  MIGRATED_POOL_CONFIGS,
  migrateToDammV2,
  type SniperFee,
  sniperFeeOfSteps,
  sniperFeeOver,
} from './index.js';
import { claimVested, lockVested } from './locker-testing.js';
import { newAddress, randomNumbers, succeeded, type TestVm } from './test-vm.js';

const EVERYTHING = 2n ** 63n;

describe('a launch on our stand-ins', () => launches(standInVm, { isReal: false }));
describe('a launch on the real programs', { skip: withoutPrograms }, () => launches(launchVm, { isReal: true }));

function launches(openVm: () => TestVm, { isReal }: { isReal: boolean }): void {
  const live = (choices: LaunchChoices, decimals = 6) => {
    const vm = openVm();
    const launched = liveOnCurve(vm, choices, decimals);
    lockVested(vm, launched, choices);
    migrate(vm, launched, choices, isReal);
    claimVested(vm, launched, choices);
  };

  it('has the figures that were computed, to the unit', () => {
    const vm = openVm();
    const cases: [decimals: number, initial: bigint, migration: bigint][] = [
      [6, 32_000_000_000n, 240_000_000_000n],
      [6, 16_000_000_000n, 69_000_000_000n],
      [6, 5_000_000_000n, 75_000_000_000n],
      [9, 25_000_000_000n, 400_000_000_000n],
      [9, 30_000_000_000n, 30_100_000_000n],
      [6, 1_000_000n, 1_000_000_000_000_000n],
      [6, 123_456_789n, 987_654_321_987n],
    ];
    for (const [decimals, initialMarketCap, migrationMarketCap] of cases) {
      const choices = { ...INDIE, initialMarketCap, migrationMarketCap };
      const launched = launch(vm, vm.mint({ decimals, supply: EVERYTHING }), choices);
      succeeded(launched.outcome);
      const { curve } = launchConfig(choices);
      const config = decodeBondingCurveConfig(vm.data(launched.pool.config))!;
      assert.equal(config.migrationQuoteThreshold, curve.quoteThreshold);
      assert.equal(config.soldBase, curve.soldBase);
      assert.equal(config.migratedBase, curve.migratedBase);
      assert.equal(config.migrationSqrtPrice, curve.points[0]!.sqrtPrice);
      assert.equal(stateOf(vm, launched).sqrtPrice, curve.sqrtStartPrice);
    }
  });

  it('takes every combination of vesting, lock and quote, and of fee, lock and quote', () => {
    const vm = openVm();
    const quotes = [vm.mint({ decimals: 6, supply: EVERYTHING }), vm.mint({ decimals: 9, supply: EVERYTHING })];
    const choices = [...vestings().map((vesting) => ({ vesting })), ...fees()];
    assert.equal(choices.length, 135);
    for (const quote of quotes) {
      for (const choice of choices) {
        for (const isLpLocked of [true, false]) {
          const { outcome } = launch(vm, quote, { ...INDIE, ...choice, isLpLocked });
          assert.equal(outcome.failure, undefined, `${JSON.stringify(outcome.failure)} ${describeChoice(choice)}`);
        }
      }
    }
  });

  for (const isLpLocked of [true, false]) {
    for (const feeBps of [100, 200] as const) {
      it(`lives its life (locked: ${isLpLocked}, fee ${feeBps})`, () => live({ ...INDIE, isLpLocked, feeBps }));
      it(`lives its life with nothing vested (locked: ${isLpLocked}, fee ${feeBps})`, () =>
        live({ ...INDIE, isLpLocked, feeBps, vesting: undefined }));
    }
  }

  it('is sold for SOL, too', () => {
    const caps = { initialMarketCap: 25_000_000_000n, migrationMarketCap: 400_000_000_000n };
    live({ ...INDIE, ...caps, vesting: undefined }, 9);
  });

  it('can be sold out after any trades', () => {
    const random = randomNumbers(20_261_121);
    for (let round = 0; round < 5; round++) {
      const vm = openVm();
      const initialMarketCap = 1_000_000n * BigInt(1 + random(100_000_000));
      const migrationMarketCap = initialMarketCap * BigInt(2 + random(50));
      const choices = { ...INDIE, initialMarketCap, migrationMarketCap };
      const launched = launch(vm, vm.mint({ decimals: 6, supply: EVERYTHING }), choices);
      succeeded(launched.outcome);
      const { quoteThreshold } = launchConfig(choices).curve;
      for (let trade = 0; trade < 30; trade++) {
        const part = BigInt(1 + random(1_000));
        if (random(3) === 0) sell(vm, launched, part);
        else buy(vm, launched, (quoteThreshold * part) / 30_000n + 1_000n);
      }
      buy(vm, launched, EVERYTHING / 4n, true);
      const { quoteReserve } = stateOf(vm, launched);
      const over = quoteReserve - quoteThreshold;
      assert.ok(over >= 0n && over <= 40n, `${quoteReserve} of ${quoteThreshold}`);
    }
  });

  it('begins at a fee of 99 % that falls to what was asked for', () => {
    for (const [fee, feeBps, slots] of [
      [sniperFeeOfSteps(200, 100, 'linear'), 100, 196],
      [sniperFeeOfSteps(300, 200, 'linear'), 200, 291],
      [sniperFeeOver(60, 100, 'exponential'), 100, 60],
      [sniperFeeOver(300, 200, 'linear'), 200, 300],
    ] as [SniperFee, 100 | 200, number][]) {
      assert.equal(fee.periods * fee.slotsPerPeriod, slots);
      const vm = openVm();
      const quote = vm.mint({ decimals: 6, supply: EVERYTHING });
      const launched = launch(vm, quote, { ...INDIE, feeBps, sniperFee: fee });
      succeeded(launched.outcome);
      assert.equal(feePaid(vm, launched, 1_000_000n), 990_000n);
      vm.svm.warpToSlot(vm.svm.getClock().slot + BigInt(slots) - 1n);
      assert.ok(feePaid(vm, launched, 1_000_000n) > BigInt(feeBps) * 100n + 500n);
      vm.svm.warpToSlot(vm.svm.getClock().slot + 1n);
      const last = feePaid(vm, launched, 100_000_000n);
      const asked = BigInt(feeBps) * 10_000n;
      assert.ok(last >= asked && last <= asked + asked / 100n, `${last} of ${asked}`);
      if (fee.mode === 'linear' && slots % 98 === 0) assert.equal(last, asked);
    }
  });
}

function stateOf(vm: TestVm, { pool }: Launched): BondingCurvePoolState {
  const state = decodeBondingCurvePool(vm.data(pool.pool));
  assert.ok(state);
  return state;
}

function buy(vm: TestVm, { pool }: Launched, amountIn: bigint, partial = false): void {
  const trader = vm.payer;
  const inputAccount = associatedTokenAddress(trader, pool.quoteMint);
  if (vm.amount(inputAccount) === 0n) {
    vm.tokenAccount({ address: inputAccount, mint: pool.quoteMint, owner: trader, amount: EVERYTHING / 2n });
  }
  const outputAccount = associatedTokenAddress(trader, pool.baseMint);
  if (vm.data(outputAccount).length === 0) {
    vm.tokenAccount({ address: outputAccount, mint: pool.baseMint, owner: trader });
  }
  succeeded(vm.run(curveSwap({ pool, trader, inputAccount, outputAccount, amountIn, leastOut: 0n, partial })));
}

/** Sells so many thousandths of what the buyer holds. */
function sell(vm: TestVm, { pool }: Launched, part: bigint): void {
  const trader = vm.payer;
  const inputAccount = associatedTokenAddress(trader, pool.baseMint);
  const amountIn = (vm.amount(inputAccount) * part) / 1_000n;
  if (amountIn < 1_000_000n) return;
  const outputAccount = associatedTokenAddress(trader, pool.quoteMint);
  succeeded(vm.run(curveSwap({ pool, trader, inputAccount, outputAccount, amountIn, leastOut: 0n, partial: false })));
}

/** What a purchase pays in fees: to the operator, the creator and the protocol together. */
function feePaid(vm: TestVm, launched: Launched, amountIn: bigint): bigint {
  const before = stateOf(vm, launched).quoteReserve;
  buy(vm, launched, amountIn);
  return amountIn - (stateOf(vm, launched).quoteReserve - before);
}

function liveOnCurve(vm: TestVm, choices: LaunchChoices, decimals: number): Launched {
  vm.setTime(1_800_000_000n);
  const quoteMint = vm.mint({ decimals, supply: EVERYTHING });
  const launched = launch(vm, quoteMint, choices);
  succeeded(launched.outcome);
  const { pool } = launched;
  assert.equal(vm.supply(pool.baseMint), 10n ** 15n);

  const paid = 1_000_000_000n;
  buy(vm, launched, paid);
  const fee = (paid * BigInt(choices.feeBps)) / 10_000n;
  const afterOne = stateOf(vm, launched);
  assert.equal(afterOne.quoteReserve, paid - fee);
  // A fifth is the protocol's; the rest is shared.
  const trading = fee - fee / 5n;
  assert.equal(afterOne.totalTradingQuoteFee, trading);
  assert.equal(afterOne.creatorQuoteFee, trading / 2n);

  const { curve } = launchConfig(choices);
  buy(vm, launched, EVERYTHING / 4n, true);
  const sold = vm.amount(associatedTokenAddress(vm.payer, pool.baseMint));
  const raised = stateOf(vm, launched).quoteReserve;
  // What remains of the last purchase after the fee is rounded up.
  assert.ok(
    raised - curve.quoteThreshold <= 1n && raised >= curve.quoteThreshold,
    `${raised} of ${curve.quoteThreshold}`,
  );
  // Each purchase is rounded down in favor of the pool.
  assert.ok(curve.soldBase - sold <= 2n && sold <= curve.soldBase, `${sold} of ${curve.soldBase}`);

  claim(vm, launched);
  return launched;
}

function migrate(vm: TestVm, launched: Launched, choices: LaunchChoices, isReal: boolean): void {
  const { pool } = launched;
  const dammConfig = MIGRATED_POOL_CONFIGS[choices.feeBps === 100 ? 2 : 3]!;
  // The creator gets all of the liquidity.
  const positions = [newAddress()] as const;
  if (choices.isLpLocked && isReal) shortenLock(vm, pool);
  const before = [pool.baseVault, pool.quoteVault].map((vault) => vm.amount(vault));
  const migration = migrateToDammV2({ pool, dammConfig, positions, payer: vm.payer });
  succeeded(vm.run(setComputeUnitLimit(400_000), migration));
  assert.equal(stateOf(vm, launched).isMigrated, true);
  const damm = dammV2Pool(dammConfig, pool.baseMint, pool.quoteMint);
  assert.equal(vm.data(damm.pool).length, 1_112);
  const left = [pool.baseVault, pool.quoteVault].map((vault) => vm.amount(vault));
  const moved = [damm.baseVault, damm.quoteVault].map((vault) => vm.amount(vault));
  assert.deepEqual(
    before.map((amount, i) => amount - left[i]!),
    moved,
  );
  // A five-hundredth of the quote is the launch program's.
  const { quoteThreshold } = launchConfig(choices).curve;
  assert.equal(moved[1], quoteThreshold - quoteThreshold / 500n);
  assert.notEqual(vm.run(setComputeUnitLimit(400_000), migration).failure, undefined, 'once is all');
}

/** The DAMM v2 that can be had is built for tests: it locks for no more than 438,000 seconds. */
function shortenLock(vm: TestVm, { config }: BondingCurvePool): void {
  const at = 212;
  assert.equal(vm.data(config).readUInt32LE(at), 31_536_000);
  vm.patch(config, at, Uint8Array.from([0x80, 0x1a, 0x06, 0])); // 400,000
}

function claim(vm: TestVm, launched: Launched): void {
  const { pool } = launched;
  const { creatorQuoteFee } = stateOf(vm, launched);
  const quoteAccount = vm.tokenAccount({ mint: pool.quoteMint, owner: vm.payer });
  const baseAccount = vm.tokenAccount({ mint: pool.baseMint, owner: vm.payer });
  const claimed = { pool, creator: vm.payer, baseAccount, quoteAccount, maxBase: 0n };
  succeeded(vm.run(claimCreatorFee({ ...claimed, maxQuote: 1_000n })));
  assert.equal(vm.amount(quoteAccount), 1_000n);
  succeeded(vm.run(claimCreatorFee({ ...claimed, maxQuote: EVERYTHING })));
  assert.equal(vm.amount(quoteAccount), creatorQuoteFee);
  assert.equal(stateOf(vm, launched).creatorQuoteFee, 0n);
}

function vestings(): LaunchChoices['vesting'][] {
  const cliffs = [0, 15_552_000, 15_811_200, 31_536_000];
  const durations = [15_552_000, 15_811_200, 31_536_000];
  const all: LaunchChoices['vesting'][] = [undefined];
  for (const cliffSeconds of cliffs) {
    all.push({ total: 800_000_000n, cliff: 800_000_000n, periods: 0, durationSeconds: 0, cliffSeconds });
    for (const durationSeconds of durations) {
      for (const periods of [6, 12, 183, 365]) {
        for (const cliff of [0n, 99_999_999n]) {
          all.push({ total: 300_000_001n, cliff, periods, durationSeconds, cliffSeconds });
        }
      }
    }
  }
  return all;
}

function fees(): Pick<LaunchChoices, 'feeBps' | 'sniperFee'>[] {
  return ([100, 200] as const).flatMap((feeBps) => [
    { feeBps, sniperFee: undefined },
    ...(['linear', 'exponential'] as const).flatMap((mode) => [
      ...[98, 197, 300].map((slots) => ({ feeBps, sniperFee: sniperFeeOfSteps(slots, feeBps, mode) })),
      ...[60, 120, 180, 240, 300].map((slots) => ({ feeBps, sniperFee: sniperFeeOver(slots, feeBps, mode) })),
    ]),
  ]);
}

function describeChoice(choice: object): string {
  return JSON.stringify(choice, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
}
