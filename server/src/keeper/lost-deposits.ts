import { decodeTokenAccount, isAddress } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import { keepNewestLost } from '../store/ledger-cleaning.js';
import { countLooks, type LostOrder, lostToLookAt, reopenFound } from '../store/lost-deposits.js';
import type { Store } from '../store/sql.js';
import type { AgreedTime } from './agreed-time.js';
import type { Chore } from './keeper.js';

/** How long after its loss the account of a deposit is looked at; and once more before its order is deleted. */
const LOOK_AFTER_MS = [5 * 60_000, 60 * 60_000];
const BATCH = 100;

interface LostDepositsDeps {
  store: Store;
  chain: Pick<Chain, 'account'>;
  clock: Clock;
  agreedNow: AgreedTime;
  log: Logger;
  /** How long an order is kept whose deposit was lost. */
  keepEndedMs: number;
}

/**
 * Looks whether deposits that were called lost have landed all the same, because a node has denied it. Their orders wait for their
 * owners to withdraw them then.
 */
export function lostDepositsChore({ store, chain, clock, agreedNow, log, keepEndedMs }: LostDepositsDeps): Chore {
  return async (isClosing) => {
    const now = await agreedNow();
    const lostBefore = [...LOOK_AFTER_MS, keepEndedMs].map((age) => new Date(now - age));
    for (;;) {
      const lost = await lostToLookAt(store, lostBefore, BATCH);
      if (lost.length === 0) return;
      const isThere = await Promise.all(lost.map((order) => hasAccount(chain, order)));
      const found = lost.filter((_, index) => isThere[index]).map(({ id }) => id);
      const gone = lost.filter((_, index) => !isThere[index]);
      if (found.length > 0)
        log.error({ orders: found }, 'deposits that were called lost have landed; their owners can withdraw them');
      const reopened = await store.transaction((tx) => reopenFound(tx, found, new Date(clock.now())));
      const counted = await store.transaction((tx) => countLooks(tx, gone));
      for (const wallet of new Set(gone.map((each) => each.wallet)))
        await store.transaction((tx) => keepNewestLost(tx, wallet));
      // What somebody else holds waits for the next turn.
      if (reopened + counted < lost.length || isClosing()) return;
    }
  };
}

/** Nobody but the vault can have made it, by the deposit. */
async function hasAccount(chain: Pick<Chain, 'account'>, { inputAccount, vault }: LostOrder): Promise<boolean> {
  // Whoever can write to the database must not hold up the others.
  const account = isAddress(inputAccount) ? await chain.account(inputAccount) : undefined;
  return account !== undefined && decodeTokenAccount(account.data)?.owner === vault;
}
