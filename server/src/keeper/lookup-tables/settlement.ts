import type { Claimed, Settlement } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import { chargeChange, endChange } from '../../store/lookup-tables.js';
import type { Tx } from '../../store/sql.js';

/** The ledger area of the transactions that make and change lookup tables. */
export const TABLE_AREA = 'lookup-tables';

/** What `execute` gets with such a transaction. */
export interface TableDetail {
  /** Lamports that all of a day's changes may cost. */
  budget: bigint;
}

/** The right to send is only won with the money for it; any instance settles, by what the chain says. */
export const tableSettlement: Settlement = {
  isOurs: true,
  keys: ['keeper'],

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    for (const { id, detail } of claimed) {
      const { budget } = detail as TableDetail;
      if (!(await chargeChange(tx, id, budget))) refused.set(id, "the day's budget for lookup tables is spent");
    }
    return refused;
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    for (const row of settled) await endChange(tx, row);
  },
};
