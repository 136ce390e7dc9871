import { type Address, decodeTokenAccount, holdsSol } from '@slipway/wire';
import { isSince } from '../../landing/index.js';
import { orderAccounts } from '../../signer/index.js';
import { endSlotOf } from '../../store/lost-deposits.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { TriggerV2Deps } from './deps.js';
import { readVaultToken } from './vault-token.js';
import type { OrderHolding } from './vault-transactions.js';

/** Longer than a transaction lives, and than a node is behind. */
const LONGEST_LIFE_MS = 120_000;

/** `own`: what of it is the order's, by its row. Where its issuer has taken that, closing the account brings home all that there is. */
export type OwnHolding = OrderHolding & { own: bigint };

/**
 * What the order's accounts in this vault hold on the chain. All of it is withdrawn, also what others have sent there.
 * The accounts are worked out from the deposit, whatever the row says they are.
 *
 * Only an empty account is closed, and whoever sends a unit there before the withdrawal lands has all of it refused. So where one
 * of them holds more than the order's own (or less, of a token whose issuer takes it), and this is not the first withdrawal, both stay
 * open, an empty one as well, and are closed once the order's own has come home. SOL is closed with whatever it holds.
 * `since`: what a node tells that has not reached this slot does not count.
 */
export async function readHoldings(
  { chain }: TriggerV2Deps,
  order: TriggerOrderRow,
  vault: Address,
  { isRepeated = false, since = 0n }: { isRepeated?: boolean; since?: bigint } = {},
): Promise<OwnHolding[]> {
  const accounts = orderAccounts(vault, order.depositRequestId);
  const found = await Promise.all(
    accounts.map(async (account) => {
      const { account: held, slot } = await chain.accountReading(account);
      if (!(await isSince(slot, since, chain))) return undefined;
      const tokens = held && decodeTokenAccount(held.data);
      // The chain says what it holds: the owner gets it back, whatever the row says.
      if (tokens?.owner !== vault) return undefined;
      const mint = await readVaultToken(chain, tokens.mint);
      if (!mint && tokens.amount > 0n) return undefined;
      // A mint that nobody holds may be closed, and made anew by the other token program. Its empty account is closed all the same.
      const token = { mint: tokens.mint, decimals: 0, ...mint, tokenProgram: held!.owner };
      return { account, token, amount: tokens.amount, own: ownIn(order, vault, account) };
    }),
  );
  const holdings = found.filter((holding) => holding !== undefined);
  const isDisturbed =
    isRepeated &&
    holdings.some(({ amount, own }) => amount !== own) &&
    holdings.some(({ amount, own }) => own > 0n && amount >= own);
  return holdings.map((holding) => {
    return { ...holding, staysOpen: isDisturbed && !holdsSol(holding.token.mint) };
  });
}

/** What the order has in one of its accounts. */
function ownIn({ depositRequestId, progress }: TriggerOrderRow, vault: Address, account: Address): bigint {
  const { entry, exit, held } = progress;
  const isInput = orderAccounts(vault, depositRequestId, ['in']).includes(account);
  return isInput ? entry.remaining : (exit?.remaining ?? held);
}

/** What is left in the accounts of an order that has ended, by two answers of nodes that know of its end. */
export async function findLeft(
  deps: TriggerV2Deps,
  order: TriggerOrderRow,
  vault: Address,
  now: Date,
): Promise<OwnHolding[]> {
  if (!canBeFound(order, now)) return [];
  const since = (await endSlotOf(deps.store, order)) ?? (await deps.chain.newestSlot());
  const first = await readHoldings(deps, order, vault, { since });
  return first.length === 0 ? first : readHoldings(deps, order, vault, { since });
}

/** Whether something may be in its accounts, though it has ended. What a false word has ended is not known at once to all nodes. */
function canBeFound({ progress: { state }, updatedAt }: TriggerOrderRow, now: Date): boolean {
  return state === 'deposit_failed' || (state === 'cancelled' && now.getTime() - updatedAt.getTime() > LONGEST_LIFE_MS);
}

/** Whether the order has no accounts, by two answers of nodes that are not behind. */
export async function isGone({ chain }: TriggerV2Deps, order: TriggerOrderRow, vault: Address): Promise<boolean> {
  const accounts = orderAccounts(vault, order.depositRequestId);
  for (let times = 0; times < 2; times++) {
    const newest = await chain.newestSlot();
    const readings = await Promise.all(accounts.map((account) => chain.accountReading(account)));
    for (const { account, slot } of readings) {
      if (account && decodeTokenAccount(account.data)?.owner === vault) return false;
      if (!(await isSince(slot, newest, chain))) return false;
    }
  }
  return true;
}
