import { parseCreateCurveConfig, parseInitializeCurvePool, parseMigrateToDammV2 } from '@slipway/programs/formats';
import type { Address } from '@slipway/wire/formats';
import { allow } from './refusal.js';
import { naming, type ToSign } from './transaction.js';

/** The key of a mint signs once: the opening of its pool, or the migration whose position it names. It pays nothing. */
export function checkMint(mint: Address, transaction: ToSign): void {
  allow(transaction.signers[0] !== mint, 'it would pay the fee');
  const named = naming(transaction, mint);
  allow(named.length === 1, 'it is to sign once');
  const opened = parseInitializeCurvePool(named[0]!);
  const migrated = parseMigrateToDammV2(named[0]!);
  allow(opened?.pool.baseMint === mint || migrated?.positions.includes(mint), 'neither a launch nor a migration');
}

/** The key of a launch signs the making of its pool's configuration. It pays nothing. */
export function checkLaunch(config: Address, transaction: ToSign): void {
  allow(transaction.signers[0] !== config, 'it would pay the fee');
  for (const instruction of naming(transaction, config)) {
    const made = parseCreateCurveConfig(instruction)?.config === config;
    const used = parseInitializeCurvePool(instruction)?.pool.config === config;
    allow(made || used, 'an instruction that is no launch');
  }
}
