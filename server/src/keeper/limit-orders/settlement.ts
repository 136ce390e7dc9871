import { type Claimed, explain, LIMIT_ORDER_PURSE, type Settlement, SLIPPAGE } from '../../landing/index.js';
import { blame, claimsOfFailing } from '../../store/blamed-claims.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';

/** The ledger area of the keeper's transactions. */
export const LIMIT_ORDER_AREA = 'limit-orders';

/** What a transaction passes to its claim. */
export interface Attempt {
  at: Date;
}

/** "InvalidMakingAmount": less is left of the order than when the fill was prepared. */
const ORDER_HAS_LESS = 6000;

export const limitOrderSettlement: Settlement = {
  keys: ['keeper'],
  purse: LIMIT_ORDER_PURSE,
  isOurs: true,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const { most, ms } = LIMIT_ORDER_PURSE.wallet;
    const at = Math.max(...claimed.map(({ detail }) => (detail as Attempt).at.getTime()));
    const ids = claimed.map(({ id }) => id);
    const failing = await claimsOfFailing(tx, ids, { blamed: 'order', since: new Date(at - ms), most });
    return new Map(failing.map((id) => [id, 'others were faster with this order too often: it waits for an hour']));
  },

  /**
   * Anybody fills a part of an order, however small, moves its pool by a hair, for it is filled as soon as that just pays, and
   * cancels an expired one. It must not keep the maker's others from being filled.
   */
  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const failed = settled.filter(({ state, slot }) => state === 'failed' && slot !== null);
    const ofOthers = failed.filter(
      (row) => (row.payload as { kind?: string }).kind === 'cancel' || hasLess(row) || gaveLess(row),
    );
    await blame(
      tx,
      ofOthers.map(({ id }) => id),
      'order',
    );
  },
};

const hasLess = ({ error }: LedgerRow) => explain(error).code === ORDER_HAS_LESS;

/** Its pools did not give any more what they gave when the fill was prepared. */
const gaveLess = ({ error }: LedgerRow) => explain(error).code === SLIPPAGE.code;
