import { decodeTokenAccount, isAddress } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import { isSince } from '../landing/index.js';
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
/** How much later a second look must find the same. */
const AGAIN_MS = 2 * MINUTE_MS;
/** After so long, a look is a first one again. */
const FORGET_MS = 60 * MINUTE_MS;
const BATCH = 100;
const FOUND = {
  deposit_failed: 'deposits that were called lost have landed; their owners can withdraw them',
  cancelled:
    'withdrawals that were called landed have not, or not of all; the owners of these orders can cancel them again',
};

type LookChain = Pick<Chain, 'accountReading' | 'newestSlot' | 'rpc'>;

interface LostDepositsDeps {
  store: Store;
  chain: LookChain;
  clock: Clock;
  agreedNow: AgreedTime;
  log: Logger;
  /** How long an order is kept whose deposit was lost. */
  keepEndedMs: number;
}

/** When each order was seen by a first look that has found something. */
type Seen = Map<string, number>;

/**
 * Looks whether deposits that were called lost have landed all the same, because a node has denied it, and whether something is left
 * in the accounts of cancelled orders. They wait for their owners to withdraw it then. What one look has found must be there at
 * another one, minutes later; a look by a node that is behind counts as none.
 */
export function lostDepositsChore(deps: LostDepositsDeps): Chore {
  const { agreedNow, keepEndedMs } = deps;
  const seen: Seen = new Map();
  return async (isClosing) => {
    const now = await agreedNow();
    for (const [id, at] of seen) if (now - at > FORGET_MS) seen.delete(id);
    const ends = { deposit_failed: keepEndedMs, cancelled: LAST_MS };
    for (const end of Object.keys(ends) as EmptyEnd[])
      await lookAt(deps, { end, ages: [FIRST_MS, SECOND_MS, ends[end]], now, seen }, isClosing);
  };
}

async function lookAt(
  { store, chain, clock, log }: LostDepositsDeps,
  { end, ages, now, seen }: { end: EmptyEnd; ages: readonly number[]; now: number; seen: Seen },
  isClosing: () => boolean,
): Promise<void> {
  const endedBefore = ages.map((age) => new Date(now - age));
  for (;;) {
    const resting = [...seen].filter(([, at]) => now - at < AGAIN_MS).map(([id]) => id);
    const ended = await endedToLookAt(store, end, endedBefore, BATCH, resting);
    if (ended.length === 0) return;
    const looks = await Promise.all(ended.map((order) => look(chain, order)));
    const gone = ended.filter((_, index) => looks[index] === 'gone');
    const found = looks.filter((each) => typeof each === 'object');
    const confirmed = found.filter(({ id }) => seen.has(id));
    const first = found.filter(({ id }) => !seen.has(id));
    if (confirmed.length > 0) log.error({ orders: confirmed.map(({ id }) => id) }, FOUND[end]);
    const reopened = await store.transaction((tx) => reopenFound(tx, confirmed, new Date(clock.now())));
    const counted = await store.transaction((tx) => countLooks(tx, end, gone));
    for (const { id } of [...confirmed, ...gone]) seen.delete(id);
    for (const { id } of first) seen.set(id, now);
    if (end === 'deposit_failed')
      for (const wallet of new Set(gone.map((each) => each.wallet)))
        await store.transaction((tx) => keepNewestLost(tx, wallet));
    // What somebody else holds, and what only a node that is behind has told, waits for the next turn.
    if (first.length + reopened + counted < ended.length || isClosing()) return;
  }
}

/** Nobody but the vault can have made its accounts, by the deposit. A node that is behind shows what a withdrawal has brought home. */
async function look(chain: LookChain, order: EndedOrder): Promise<FoundOrder | 'gone' | 'behind'> {
  const { id, vault, inputAccount, outputAccount } = order;
  const least = order.endSlot ?? (await chain.newestSlot());
  // Whoever can write to the database must not hold up the others.
  const accounts = [inputAccount, outputAccount].filter((account) => account !== null).filter(isAddress);
  const readings = await Promise.all(accounts.map((account) => chain.accountReading(account)));
  for (const { slot } of readings) if (!(await isSince(slot, least, chain))) return 'behind';
  const own = readings
    .map(({ account }) => account && decodeTokenAccount(account.data))
    .filter((tokens) => tokens !== undefined)
    .filter(({ owner }) => owner === vault);
  const mints = own.filter(({ amount }) => amount > 0n).map(({ mint }) => mint);
  return own.length === 0 ? 'gone' : { id, mints };
}
