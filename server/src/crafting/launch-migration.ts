import {
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  createLocker,
  lockerAccount,
  migrateToDammV2,
} from '@slipway/programs';
import { type Address, createAssociatedTokenIdempotent, type Instruction } from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/** What a sold-out curve needs next. */
export type MigrationStep =
  /** Hands the tokens that the creator gets later to the lock program. */
  | { do: 'lock'; creator: Address }
  /** Moves the rest into a pool of DAMM v2; `position` is a fresh key, which signs. */
  | { do: 'migrate'; dammConfig: Address; position: Address };

/**
 * Crafts the transaction. The payer pays the fee and the rent, and owns nothing of what is made. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftMigration(
  step: MigrationStep,
  pool: Omit<BondingCurvePool, 'metadata'>,
  payer: Address,
  blockhash: string,
  budget: Budget,
): Crafted {
  const instructions = instructionsOf(step, pool, payer);
  const crafted = craftTransaction({ feePayer: payer, instructions, blockhash, budget });
  const signers = step.do === 'migrate' ? [payer, step.position] : [payer];
  const areSigners = crafted.signers.length === signers.length && signers.every((key) => crafted.signers.includes(key));
  if (!areSigners) throw new CraftCheckFailed('crafted migration: wrong signers');
  const last = crafted.instructions.at(-1);
  if (last?.program !== BONDING_CURVE_PROGRAM || last.accounts[0]?.address !== pool.pool)
    throw new CraftCheckFailed('crafted migration: wrong pool');
  return crafted;
}

function instructionsOf(step: MigrationStep, pool: Omit<BondingCurvePool, 'metadata'>, payer: Address): Instruction[] {
  if (step.do === 'migrate') {
    const { dammConfig, position } = step;
    return [migrateToDammV2({ pool, dammConfig, positions: [position], payer })];
  }
  const { owner } = lockerAccount(pool);
  return [
    createAssociatedTokenIdempotent({ payer, owner, mint: pool.baseMint }),
    createLocker(pool, step.creator, payer),
  ];
}
