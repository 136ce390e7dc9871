import type { Address } from '@slipway/wire';
import { type Chain, listTransactions, readTransaction } from '../chain/index.js';
import { orderAccounts } from '../signer/index.js';
import { holdsFunds, type Order } from '../trigger-orders/order.js';
import type { RawState } from '../trigger-orders/state.js';
import { vaultTokens } from './holdings.js';

/** An order, as far as it says what its wallet's vault holds. */
export interface VaultOrder {
  id: string;
  depositRequestId: string;
  inputMint: string;
  outputMint: string;
  inputAccount: string;
  outputAccount: string | null;
  progress: Order;
}

/** What should be in an account of an order, by its row. */
interface Owed {
  order: VaultOrder;
  side: 'in' | 'out';
  /** As the row names it. */
  account: Address;
  mint: Address;
  amount: bigint;
}

/** All of the entry is sold, and what the venue did not take of it is the wallet's. */
const ENTERED: ReadonlySet<RawState> = new Set([
  'execute_success',
  'ready_withdraw_output',
  'withdrawing',
  'withdraw_failed',
]);
/** What is left of them is nobody's order any more. */
const ENDED: ReadonlySet<RawState> = new Set(['fill_success', 'cancelled', 'oco_cancelled']);
/** Of the newest transactions of an account, which anybody can name. */
const MOST_READ = 20;

/** Where a vault may have something of orders that have not ended: to be looked at, whatever a list of what it has says. */
export function accountsToLookAt(orders: readonly VaultOrder[], vault: Address): Address[] {
  return orders
    .filter(({ progress }) => !ENDED.has(progress.state))
    .flatMap(({ depositRequestId }) => orderAccounts(vault, depositRequestId));
}

/** What orders should have in this vault, by their rows, wherever it may be. */
export function owedIn(orders: readonly VaultOrder[], vault: Address): Map<Address, bigint> {
  const owed = orders.flatMap(owedTo);
  return new Map(
    owed.flatMap(({ order, side, amount }) =>
      placesOf(order, side, vault).map((account) => [account, amount] as const),
    ),
  );
}

/** Why something is left of which the node may have shown less than there is. */
export const whyLeft = (reason: string, amount: bigint, owed = 0n): string =>
  amount < owed ? `${reason}; by its row, its order has ${owed} there: run this again with another node` : reason;

/**
 * What orders should have, and was not found. Only their vault can close such an account: it is there, unless the node tells the
 * transaction that closed it, by which it was swept, withdrawn or filled without their rows being told.
 *
 * @param found the accounts that the vault was found to have
 * @param next where they may be instead: another vault of the wallet
 */
export async function missingOf(
  chain: Chain,
  orders: readonly VaultOrder[],
  { vault, found, next }: { vault: Address; found: ReadonlySet<Address>; next?: Address },
): Promise<{ account: Address; mint: Address; amount: bigint; reason: string }[]> {
  const owed = orders.flatMap(owedTo);
  const isThere = await Promise.all(
    owed.map(async ({ order, side }) => {
      if (placesOf(order, side, vault).some((account) => found.has(account))) return true;
      if (next === undefined) return false;
      const moved = placesOf(order, side, next).map((account) => vaultTokens(chain, next, account));
      return (await Promise.all(moved)).some((tokens) => tokens !== undefined);
    }),
  );
  const missing = [];
  for (const { order, side, ...rest } of owed.filter((_, index) => !isThere[index])) {
    const [one, other] = placesOf(order, side, vault);
    if ((one && (await isClosed(chain, one))) || (other && (await isClosed(chain, other)))) continue;
    const reason = `the order ${order.id} should have it, and the node shows neither its account nor what has closed it: run this again with another node`;
    missing.push({ ...rest, reason });
  }
  return missing;
}

const placesOf = ({ depositRequestId }: VaultOrder, side: 'in' | 'out', vault: Address): Address[] =>
  orderAccounts(vault, depositRequestId, [side]);

function owedTo(order: VaultOrder): Owed[] {
  const { progress, ...row } = order;
  if (!holdsFunds(progress)) return [];
  const { state, stage, entry, exit, held } = progress;
  const sold = stage === 'exit' || ENTERED.has(state) ? 0n : entry.remaining;
  const bought = stage === 'exit' && exit ? exit.remaining : held;
  const sides = [
    { side: 'in', account: row.inputAccount, mint: row.inputMint, amount: sold },
    { side: 'out', account: row.outputAccount, mint: row.outputMint, amount: bought },
  ] as const;
  // What is bought needs its account, though it is empty until then.
  return sides
    .filter(({ side, account, amount }) => account !== null && (side === 'out' || amount > 0n))
    .map((each) => ({ ...each, order, account: each.account as Address, mint: each.mint as Address }));
}

/** Whether the newest transaction that has changed the account has closed it. */
async function isClosed({ rpc }: Chain, account: Address): Promise<boolean> {
  try {
    const listed = await listTransactions(rpc, account, {});
    for (const { txId } of listed.slice(0, MOST_READ)) {
      const held = (await readTransaction(rpc, txId, { tries: 1 }))?.lamports.get(account);
      if (held && held.before !== held.after) return held.after === 0n;
    }
  } catch {
    // A node without history cannot tell.
  }
  return false;
}
