import { type Claimed, explain, failedAccounts, LIMIT_ORDER_PURSE, type Settlement } from '../../landing/index.js';
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
   * Anybody fills a part of an order, however small, moves its pool, or has it fail where it is his own, and cancels an
   * expired one. It must not keep the maker's others from being filled.
   */
  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const failed = settled.filter(({ state, slot }) => state === 'failed' && slot !== null);
    const ofOthers = failed.filter(
      (row) => (row.payload as { kind?: string }).kind === 'cancel' || hasLess(row) || isOfTrade(row),
    );
    await blame(
      tx,
      ofOthers.map(({ id }) => id),
      'order',
    );
  },
};

const hasLess = ({ error }: LedgerRow) => explain(error).code === ORDER_HAS_LESS;

/** Whether it failed between the loan and the payment, which name the order. What makes the maker's account names him. */
function isOfTrade({ wallet, payload, error, wire }: LedgerRow): boolean {
  const accounts: string[] | undefined = wire ? failedAccounts(error, wire) : undefined;
  return (
    accounts !== undefined && !accounts.includes(wallet) && !accounts.includes((payload as { order: string }).order)
  );
}
