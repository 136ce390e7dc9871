// Terms that make liquidity or tokens wait, at their ends: what is taken must be able to migrate.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setComputeUnitLimit } from '@slipway/wire';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { RICH, refusedBy } from './bonding-curve-trades-testing.js';
import { migrated, migrationOf, sellOut } from './damm-v2-testing.js';
import { type BondingCurveConfig, claimLocked, decodeLock, launchConfig, lockerAccount } from './index.js';
import { succeeded } from './test-vm.js';

const START = 1_800_000_000n;
const YEAR = 31_536_000;
const MOST = 2n ** 64n - 1n;
const INVALID_VESTING = 6031;

const liquidityWaits = (seconds: number) => (terms: BondingCurveConfig) => {
  terms.creatorLiquidityVesting.cliffDurationFromMigrationTime = seconds;
};

test('attack: a stranger on the chain launches with liquidity that must wait for longer than it can be locked, so that nothing that buyers pay could leave: refused', () => {
  const vm = standInVm();
  vm.setTime(START);
  const choices = { ...INDIE, vesting: undefined };
  const { terms } = launchConfig(choices);
  liquidityWaits(2 * YEAR + 1)(terms);
  refusedBy(launch(vm, vm.mint({ decimals: 6, supply: RICH }), choices, terms).outcome, INVALID_VESTING);
  // The longest wait, also a while later.
  const moving = sellOut(vm, { change: liquidityWaits(2 * YEAR) });
  vm.setTime(START + 1_000_000n);
  succeeded(vm.run(setComputeUnitLimit(300_000), migrationOf(vm, moving)));
});

test('attack: a stranger on the chain launches with tokens that must wait for longer than time lasts, so that nothing that buyers pay could leave: they are locked for good, and the pool migrates', () => {
  const { vesting } = INDIE;
  for (const [wait, cliffTime] of [
    [MOST - START, MOST],
    [MOST - START - 1n, MOST - 1n],
    [MOST - START + 1n, MOST],
    [MOST, MOST],
  ] as const) {
    const vm = standInVm();
    vm.setTime(START);
    const change = ({ lockedVesting }: BondingCurveConfig) => {
      lockedVesting.cliffDurationFromMigrationTime = wait;
    };
    const { pool, base } = migrated(vm, { vesting, change });
    const { owner: lock, account: tokens } = lockerAccount(pool);
    assert.equal(decodeLock(vm.data(lock))!.cliffTime, cliffTime);
    const held = vm.amount(base);
    vm.setTime(START + 1_000n * BigInt(YEAR));
    succeeded(vm.run(claimLocked({ lock, tokens, recipient: vm.payer, account: base, most: RICH })));
    assert.equal(vm.amount(base), held);
  }
});
