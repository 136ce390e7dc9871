import { type Claimed, LIMIT_ORDER_PURSE, type Settlement } from '../../landing/index.js';
import { blame, claimsOfFailing } from '../../store/blamed-claims.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';

/** The ledger area of the keeper's transactions. */
export const LIMIT_ORDER_AREA = 'limit-orders';

/** What a transaction passes to its claim. */
export interface Attempt {
  at: Date;
}

export const limitOrderSettlement: Settlement = {
  keys: ['keeper'],
  purse: LIMIT_ORDER_PURSE,
  isOurs: true,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const { most, ms } = LIMIT_ORDER_PURSE.wallet;
    const at = Math.max(...claimed.map(({ detail }) => (detail as Attempt).at.getTime()));
    const ids = claimed.map(({ id }) => id);
    const failing = await claimsOfFailing(tx, ids, { blamed: 'order', since: new Date(at - ms), most });
    return new Map(
      failing.map((id) => [id, 'what was sent for this order has failed too often: it waits for an hour']),
    );
  },

  /**
   * Anybody fills an order, whole or in part, moves its pool, or cancels it when it has expired, and how a transaction has failed
   * does not tell whether its maker was behind it. So it never counts as his: others could keep all his orders from being filled.
   */
  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const failed = settled.filter(({ state, slot }) => state === 'failed' && slot !== null);
    await blame(
      tx,
      failed.map(({ id }) => id),
      'order',
    );
  },
};
