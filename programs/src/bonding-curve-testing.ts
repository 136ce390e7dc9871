import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
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
} from './index.js';
import { newAddress, type Outcome, programUnderTest, TestVm } from './test-vm.js';

const { SLIPWAY_PROGRAMS_DIR } = process.env;

/** Why tests that need the programs of others are skipped; false where they can run. */
export const withoutPrograms = SLIPWAY_PROGRAMS_DIR
  ? false
  : 'set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex to run this';

/** A chain with our stand-ins for the launch programs, on which pools cannot migrate. */
export function standInVm(): TestVm {
  const vm = new TestVm();
  vm.addProgram(BONDING_CURVE_PROGRAM, programUnderTest('bonding-curve'));
  vm.addProgram(METADATA_PROGRAM, programUnderTest('token-metadata'));
  return vm;
}

/** A chain with the launch programs, on which pools can migrate. */
export function launchVm(): TestVm {
  const vm = new TestVm();
  for (const program of [BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM, METADATA_PROGRAM, LOCKER_PROGRAM]) {
    vm.addProgram(program, readFileSync(join(SLIPWAY_PROGRAMS_DIR!, `${program}.so`)));
  }
  vm.put(MIGRATED_POOL_CONFIGS[2]!, encodeDammV2Config(100), DAMM_V2_PROGRAM);
  vm.put(MIGRATED_POOL_CONFIGS[3]!, encodeDammV2Config(200), DAMM_V2_PROGRAM);
  vm.put(BONDING_CURVE_AUTHORITY, new Uint8Array(0), vm.owner(vm.payer), 1_000_000_000n);
  return vm;
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
export function launch(vm: TestVm, quoteMint: Address, choices: LaunchChoices): Launched {
  const operator = newAddress();
  const pool = bondingCurvePool(newAddress(), newAddress(), quoteMint);
  const { terms } = launchConfig(choices);
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
