import type { Address } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import { addressText, digits, payloadReader, type Settlement } from '../../landing/index.js';
import { recordMigration } from '../../store/launch-migrations.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';

const Payload = Type.Object({
  mint: addressText,
  step: Type.Enum(['lock', 'migrate']),
  /** The pool that the step makes; of a lock none. */
  migratedPool: Type.Optional(addressText),
  /** What it costs the keeper's wallet at most. */
  lamports: digits,
});
const payloadOf = payloadReader(Payload);

/** What the ledger keeps of a step of a migration. */
export type MigrationPayload = Static<typeof Payload> & { mint: Address };

/** Any instance settles, by what the chain says. */
export const migrationSettlement: Settlement = {
  isOurs: true,
  keys: ['keeper', 'mint'],

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    for (const row of settled) {
      if (row.state !== 'landed' || !row.settledAt || !row.signature) continue;
      const { mint, migratedPool } = payloadOf(row);
      const { signature } = row;
      if (migratedPool) await recordMigration(tx, { mint, migratedPool, signature }, row.settledAt);
    }
  },
};
