import type { Claimed, Settlement } from '../../landing/index.js';
import { type LaunchPage, setPage, tellLaunches } from '../../store/launches.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';

/** The page that was submitted with a launch is stored with the claim: of two posts, the page of the one that sends. */
export const studioSettlement: Settlement = {
  keys: ['mint', 'launch'],

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    for (const { id, detail } of claimed) await setPage(tx, id, detail as LaunchPage);
    return new Map();
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const landed = settled.filter(({ state }) => state === 'landed');
    if (landed[0]?.settledAt)
      await tellLaunches(
        tx,
        landed.map(({ id }) => id),
        landed[0].settledAt,
      );
  },
};
