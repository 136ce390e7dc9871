import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  holdsSol,
  type Instruction,
} from '@slipway/wire';
import { type Static, Type } from 'typebox';
import { craftTransaction } from '../../crafting/transaction.js';
import {
  type Claimed,
  explain,
  payloadReader,
  type Settlement,
  TRIGGER_RENT_PURSE,
  tryOut,
} from '../../landing/index.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Tx } from '../../store/sql.js';
import { claimRentsDue, settleRent } from '../../store/trigger-order-rents.js';
import { lockTriggerOrders, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { closeToWallet, moveToWallet } from '../../vault/empty-account.js';
import { type VaultTokens, vaultTokens } from '../../vault/holdings.js';
import type { FillDeps, TriggerKeeperDeps } from './deps.js';
import { LONGEST_WAIT_MS } from './fill-order.js';
import { remember } from './remember.js';

/** The ledger area of transactions that return rent. */
export const RENT_AREA = 'trigger-rent';

const BATCH = 20;
/** After this, or later for what was filled long ago, a rent that was not returned is tried again. */
const LEASE_MS = 60_000;
/**
 * After so many looks in a row that have found no account of the order, over hours, there is none: a node may be behind, or lie. Where its
 * fill has closed its account, none is owed.
 */
const MOST_LOOKS = 24;
interface RentDetail {
  orderId: string;
  leaseUntil: Date;
}

/** `isPart`: an account of the order is left out: its wallet has no account for what it holds, or it was not there. */
const RentPayload = Type.Object({ orderId: Type.String(), isPart: Type.Optional(Type.Boolean()) });
type RentPayload = Static<typeof RentPayload>;
const readRentPayload = payloadReader(RentPayload);

/** Only the keeper that claimed the order sends; any instance settles, by what the chain says. */
export const rentSettlement: Settlement = {
  isOurs: true,
  keys: ['keeper', 'vault'],
  purse: TRIGGER_RENT_PURSE,

  async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    for (const { id, detail } of claimed) {
      const { orderId, leaseUntil } = detail as RentDetail;
      const [order] = await lockTriggerOrders(tx, [orderId], { skip: false });
      if (order?.leaseUntil?.getTime() !== leaseUntil.getTime()) refused.set(id, 'another keeper has the order');
    }
    return refused;
  },

  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    for (const row of settled) {
      if (row.state !== 'landed') continue;
      const { orderId, isPart } = readRentPayload(row);
      if (!isPart) await settleRent(tx, orderId);
    }
  },
};

/**
 * Closes accounts of filled orders that their fills have left open, and sends rent and remaining tokens to the wallet.
 * `alone`: no other keeper is at work. Failures are tried again later.
 */
export async function returnRents(deps: FillDeps, { alone }: { alone: boolean }): Promise<void> {
  const { store, clock, log } = deps;
  const claim = { now: new Date(clock.now()), leaseMs: LEASE_MS, isAlone: alone };
  const claimed = await store.single((tx) => claimRentsDue(tx, claim, BATCH));
  await Promise.all(
    claimed.map((order) =>
      returnRent(deps, order).catch((error: Error) =>
        log.warn(
          { order: order.id, reason: error.message },
          'cannot return the rent of a filled order yet; will try again',
        ),
      ),
    ),
  );
}

async function returnRent(deps: FillDeps, order: TriggerOrderRow): Promise<void> {
  const { store, landing, payer, chain, log, absences, expiries } = deps;
  const { id: orderId, wallet, leaseUntil } = order;
  const accounts = [order.inputAccount, order.outputAccount].filter((account) => account !== null);
  const all = await Promise.all(accounts.map((account) => vaultTokens(chain, order.vault, account as Address)));
  const held = all.filter((tokens) => tokens !== undefined);
  if (held.length === 0) {
    const looks = (absences.get(orderId) ?? 0) + 1;
    absences.set(orderId, looks);
    if (looks >= MOST_LOOKS) await store.single((tx) => settleRent(tx, orderId));
    return;
  }
  absences.delete(orderId);
  const perAccount = await Promise.all(held.map((tokens) => instructionsFor(deps, order, tokens)));
  const instructions = perAccount.flat();
  if (instructions.length === 0) return;
  // Its wallet may have an account for it later, or the node may show it then.
  const isPart = held.length < accounts.length || perAccount.some((each) => each.length === 0);
  const tried = await tryOut(
    chain,
    (blockhash, budget) => craftTransaction({ feePayer: payer, instructions, blockhash, budget }),
    { bid: { expired: expiries.of(orderId) } },
  );
  if ('err' in tried) throw new Error(explain(tried.err).message);
  const payload: RentPayload = { orderId, ...(isPart && { isPart }) };
  const request = await remember(deps, { ...tried, area: RENT_AREA, wallet, payload });
  const detail: RentDetail = { orderId, leaseUntil: leaseUntil! };
  const end = landing.execute(request, decodeTransaction(tried.crafted.wire), detail);
  const isKnown = await waitAtMost(
    LONGEST_WAIT_MS,
    end.then(() => {}),
    { ref: false },
  );
  // The rents of others wait until these have ended.
  if (!isKnown) throw new Error('no node can tell yet how it has ended');
  const { state } = await end;
  expiries.ended(orderId, state);
  log.info({ order: orderId, state }, 'sent the rent of a filled order to its wallet');
}

/** None for an account that must stay open for now. */
async function instructionsFor(
  { chain, log }: TriggerKeeperDeps,
  order: TriggerOrderRow,
  tokens: VaultTokens,
): Promise<Instruction[]> {
  const wallet = order.wallet as Address;
  const close = closeToWallet(tokens, wallet);
  const { mint, amount } = tokens.tokens;
  // Closing an account of SOL pays out all its lamports.
  if (holdsSol(mint) || amount === 0n) return [close];
  const [facts, own] = await Promise.all([
    chain.mint(mint),
    chain.account(associatedTokenAddress(wallet, mint, tokens.tokenProgram)),
  ]);
  const isTheirs = own && decodeTokenAccount(own.data)?.owner === wallet;
  if (facts && isTheirs) return [moveToWallet(tokens, wallet, facts.decimals), close];
  // A few remaining tokens are not worth an account that the keeper would have to pay for.
  log.info(
    { order: order.id, account: tokens.account },
    'an account is not empty and its wallet has none: left open for now',
  );
  return [];
}
