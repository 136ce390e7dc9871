import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, METADATA_PROGRAM, SYSTEM_PROGRAM } from '@slipway/wire';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  bondingCurvePool,
  createCurveConfig,
  DAMM_V2_PROGRAM,
  encodeDammV2Config,
  initializeCurvePool,
  type LaunchChoices,
  LOCKER_PROGRAM,
  launchConfig,
  MIGRATED_POOL_CONFIGS,
  MIGRATED_POOL_FEES,
  STAND_INS,
} from './index.js';
import { newAddress, type Outcome, programUnderTest, TestVm } from './test-vm.js';

const { SLIPWAY_PROGRAMS_DIR } = process.env;

/** Why tests that need the programs of others are skipped; false where they can run. */
export const withoutPrograms = SLIPWAY_PROGRAMS_DIR
  ? false
  : 'set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex to run this';

/** A chain with our stand-ins for the launch programs. */
export function standInVm(): TestVm {
  const vm = new TestVm();
  for (const [program, name] of Object.entries(STAND_INS)) vm.addProgram(program as Address, programUnderTest(name));
  writeMigrationAccounts(vm);
  return vm;
}

/** A chain with the launch programs. */
export function launchVm(): TestVm {
  const vm = new TestVm();
  for (const program of [BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM, METADATA_PROGRAM, LOCKER_PROGRAM]) {
    vm.addProgram(program, publishedProgram(program));
  }
  writeMigrationAccounts(vm);
  return vm;
}

/** The bytes of a program of others, of which there is a folder. */
export function publishedProgram(program: Address): Uint8Array {
  return readFileSync(join(SLIPWAY_PROGRAMS_DIR!, `${program}.so`));
}

/** The configurations of DAMM v2 that launches migrate with, and the lamports that are lent to a migration. */
export function writeMigrationAccounts(vm: TestVm): void {
  for (const [option, feeBps] of MIGRATED_POOL_FEES.entries()) {
    vm.put(MIGRATED_POOL_CONFIGS[option]!, encodeDammV2Config(feeBps), DAMM_V2_PROGRAM);
  }
  vm.put(BONDING_CURVE_AUTHORITY, new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000n);
}

/** The published preset "Indie": 32,000 to 240,000 USDC, a tenth vested over a year. */
export const INDIE: LaunchChoices = {
  initialMarketCap: 32_000_000_000n,
  migrationMarketCap: 240_000_000_000n,
  vesting: { total: 100_000_000n, cliff: 0n, periods: 365, durationSeconds: 31_536_000, cliffSeconds: 0 },
  feeBps: 100,
  sniperFee: undefined,
  isLpLocked: true,
};

export interface Launched {
  pool: BondingCurvePool;
  operator: Address;
  outcome: Outcome;
}

/** Makes configuration and pool in one transaction; the machine's payer is the creator. */
export function launch(
  vm: TestVm,
  quoteMint: Address,
  choices: LaunchChoices,
  terms = launchConfig(choices).terms,
): Launched {
  const operator = newAddress();
  const pool = bondingCurvePool(newAddress(), newAddress(), quoteMint);
  const people = { feeClaimer: operator, leftoverReceiver: operator, payer: vm.payer };
  const outcome = vm.run(
    createCurveConfig({ config: pool.config, quoteMint, terms, ...people }),
    initializeCurvePool({
      pool,
      creator: vm.payer,
      name: 'A token',
      symbol: 'TOKEN',
      uri: 'https://example.com/t.json',
    }),
  );
  return { pool, operator, outcome };
}
