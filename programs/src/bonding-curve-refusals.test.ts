import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instruction, METADATA_PROGRAM, readonlySigner, TOKEN_2022_PROGRAM, writableAccount } from '@slipway/wire';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { BONDING_CURVE_PROGRAM, type BondingCurveConfig, createCurveConfig, launchConfig } from './index.js';
import { newAddress, type Outcome, succeeded } from './test-vm.js';

const HAS_DYNAMIC_FEE_AT = 8 + 27;
const HAS_SUPPLY_AT = 8 + 102;

function assertNotHere({ failure, logs }: Outcome, program: string, what: string): void {
  assert.deepEqual(failure, { program, reason: 'custom program error: 0x1b58' }, what);
  assert.match(logs.join('\n'), /^Program log: stand-in: /m, what);
}

test('the stand-in refuses the terms that Studio does not send, and says which', () => {
  const vm = standInVm();
  const create = (terms: BondingCurveConfig, quoteMint = vm.mint()): Instruction => {
    const people = { feeClaimer: newAddress(), leftoverReceiver: newAddress(), payer: vm.payer };
    return createCurveConfig({ config: newAddress(), quoteMint, terms, ...people });
  };
  const terms = (): BondingCurveConfig => structuredClone(launchConfig(INDIE).terms);
  const cases: Record<string, (terms: BondingCurveConfig) => void> = {
    'fees in the output': (t) => (t.collectFeeMode = 1),
    'a fee by rate': (t) => (t.baseFee.mode = 2),
    'the older pools': (t) => (t.migrationOption = 0),
    'Token-2022': (t) => (t.tokenType = 1),
    'a changeable token': (t) => (t.tokenUpdateAuthority = 0),
    'a fee of the migration': (t) => (t.migrationFee.feePercentage = 1),
    'its share': (t) => (t.migrationFee.creatorFeePercentage = 1),
    'how the migrated pool takes fees': (t) => (t.migratedPoolFee.collectFeeMode = 1),
    'its fee': (t) => (t.migratedPoolFee.poolFeeBps = 100),
    'a fee of creation': (t) => (t.poolCreationFee = 1_000_000n),
    'vesting liquidity of the partner': (t) => (t.partnerLiquidityVesting.vestingPercentage = 1),
    'a wait of the partner': (t) => (t.partnerLiquidityVesting.frequency = 2 ** 24),
    'another fee of the migrated pool': (t) => (t.migratedPoolBaseFeeMode = 1),
    'a first swap without fee': (t) => (t.enableFirstSwapWithMinFee = 1),
    'a compounding fee': (t) => (t.compoundingFeeBps = 256),
    'liquidity in parts': (t) => (t.creatorLiquidityVesting.bpsPerPeriod = 1),
    'in some parts': (t) => (t.creatorLiquidityVesting.numberOfPeriods = 256),
    'liquidity every second': (t) => (t.creatorLiquidityVesting.frequency = 1),
    'liquidity without a cliff': (t) => (t.creatorLiquidityVesting.cliffDurationFromMigrationTime = 0),
    'a cliff without liquidity': (t) => (t.creatorLiquidityVesting.vestingPercentage = 0),
  };
  for (const [what, change] of Object.entries(cases)) {
    const changed = terms();
    change(changed);
    assertNotHere(vm.run(create(changed)), BONDING_CURVE_PROGRAM, what);
  }
  for (const [at, value] of [
    [HAS_DYNAMIC_FEE_AT, 1],
    [HAS_SUPPLY_AT, 0],
  ] as const) {
    const whole = create(terms());
    whole.data[at] = value;
    assertNotHere(vm.run(whole), BONDING_CURVE_PROGRAM, `byte ${at}`);
  }
  const other = vm.mint({ tokenProgram: TOKEN_2022_PROGRAM });
  assertNotHere(vm.run(create(terms(), other)), BONDING_CURVE_PROGRAM, 'a quote of Token-2022');
  succeeded(vm.run(create(terms())));
});

test('the stand-in for metadata refuses what no launch needs, and whoever is not the authority', () => {
  const vm = standInVm();
  const { pool, outcome } = launch(vm, vm.mint(), INDIE);
  succeeded(outcome);
  const before = vm.data(pool.metadata);
  const metadata = (data: number[], ...accounts: Instruction['accounts']): Instruction => ({
    program: METADATA_PROGRAM,
    accounts: [writableAccount(pool.metadata), ...accounts],
    data: Uint8Array.from(data),
  });
  for (const tag of [0, 1, 16, 42, 56]) assertNotHere(vm.run(metadata([tag])), METADATA_PROGRAM, `instruction ${tag}`);
  assert.equal(vm.run(metadata([57])).failure?.reason, 'invalid instruction data');
  const authority = [15, 0, 1, ...new Uint8Array(32), 0, 0];
  const stranger = vm.run(metadata(authority, readonlySigner(newAddress())));
  assert.equal(stranger.failure?.reason, 'custom program error: 0x7');
  assert.deepEqual(vm.data(pool.metadata), before);
});
