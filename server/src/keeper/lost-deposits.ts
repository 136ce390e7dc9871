import { decodeTokenAccount, isAddress } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import { keepNewestLost } from '../store/ledger-cleaning.js';
import {
  countLooks,
  type EmptyEnd,
  type EndedOrder,
  endedToLookAt,
  type FoundOrder,
  reopenFound,
} from '../store/lost-deposits.js';
import type { Store } from '../store/sql.js';
import type { AgreedTime } from './agreed-time.js';
import type { Chore } from './keeper.js';

const MINUTE_MS = 60_000;
/** How long after its end the accounts of an order are looked at. */
const FIRST_MS = 5 * MINUTE_MS;
const SECOND_MS = 60 * MINUTE_MS;
/** The last look at those of a cancelled one; at that of a lost deposit, the last one comes before its order is deleted. */
const LAST_MS = 6 * 60 * MINUTE_MS;
const BATCH = 100;
const FOUND = {
  deposit_failed: 'deposits that were called lost have landed; their owners can withdraw them',
  cancelled:
    'withdrawals that were called landed have not, or not of all; the owners of these orders can cancel them again',
};

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
 * Looks whether deposits that were called lost have landed all the same, because a node has denied it, and whether something is left
 * in the accounts of cancelled orders. They wait for their owners to withdraw it then.
 */
export function lostDepositsChore(deps: LostDepositsDeps): Chore {
  const { agreedNow, keepEndedMs } = deps;
  return async (isClosing) => {
    const now = await agreedNow();
    await lookAt(
      deps,
      'deposit_failed',
      [FIRST_MS, SECOND_MS, keepEndedMs].map((age) => new Date(now - age)),
      isClosing,
    );
    await lookAt(
      deps,
      'cancelled',
      [FIRST_MS, SECOND_MS, LAST_MS].map((age) => new Date(now - age)),
      isClosing,
    );
  };
}

async function lookAt(
  { store, chain, clock, log }: LostDepositsDeps,
  end: EmptyEnd,
  endedBefore: readonly Date[],
  isClosing: () => boolean,
): Promise<void> {
  for (;;) {
    const ended = await endedToLookAt(store, end, endedBefore, BATCH);
    if (ended.length === 0) return;
    const looks = await Promise.all(ended.map((order) => lookTwice(chain, order)));
    const found = looks.filter((each) => each !== undefined);
    const gone = ended.filter((_, index) => !looks[index]);
    if (found.length > 0) log.error({ orders: found.map(({ id }) => id) }, FOUND[end]);
    const reopened = await store.transaction((tx) => reopenFound(tx, found, new Date(clock.now())));
    const counted = await store.transaction((tx) => countLooks(tx, end, gone));
    if (end === 'deposit_failed')
      for (const wallet of new Set(gone.map((each) => each.wallet)))
        await store.transaction((tx) => keepNewestLost(tx, wallet));
    // What somebody else holds waits for the next turn.
    if (reopened + counted < ended.length || isClosing()) return;
  }
}

/** What one answer alone shows is not believed: an order that waits for a withdrawal of nothing does so for ever. */
async function lookTwice(chain: Pick<Chain, 'account'>, order: EndedOrder): Promise<FoundOrder | undefined> {
  return (await look(chain, order)) && look(chain, order);
}

/** Nobody but the vault can have made its accounts, by the deposit. */
async function look(
  chain: Pick<Chain, 'account'>,
  { id, vault, inputAccount, outputAccount }: EndedOrder,
): Promise<FoundOrder | undefined> {
  const read = async (account: string | null) => {
    // Whoever can write to the database must not hold up the others.
    const found = account !== null && isAddress(account) ? await chain.account(account) : undefined;
    return found && decodeTokenAccount(found.data);
  };
  const accounts = await Promise.all([read(inputAccount), read(outputAccount)]);
  const own = accounts.filter((tokens) => tokens?.owner === vault).filter((tokens) => tokens !== undefined);
  const mints = own.filter(({ amount }) => amount > 0n).map(({ mint }) => mint);
  return own.length === 0 ? undefined : { id, mints };
}
