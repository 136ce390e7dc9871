import { type Address, associatedTokenAddress } from '@slipway/wire';
import { type ChainAccount, ChainUnavailable } from '../../chain/index.js';
import { askSince } from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import { giveWay, type VerificationKind } from '../../store/verifications.js';
import { checkLamports, checkTokens } from './checks.js';
import { paidIn } from './currency.js';
import type { ExpressDeps } from './deps.js';
import { type PaymentPayload, readPayload } from './payload.js';

/** How long a payment holds its token for certain. One that can land does so within seconds. */
export const HELD_MS = 10_000;

type Payers = Pick<ExpressDeps, 'chain' | 'platform' | 'stable' | 'usdc'>;
type Deps = Payers & Pick<ExpressDeps, 'store' | 'clock' | 'findHolders' | 'findRequest' | 'landing'>;

/**
 * Frees the token from payments that have held it for a while and would fail by now because their senders have moved
 * the money away. Otherwise two of them in turn keep a rival from paying, at no cost. All others are sent again: where the money
 * was away for a while, nothing else would do so, and the token would be held until the blockhash is dead. What would fail for
 * another reason lands as failed, which ends it: its sender pays the fee, and may have brought that about while his money was away.
 * Not where the gas wallet pays: its sender cannot keep such a payment from landing, and a rival may have brought that about; once
 * that is over, it lands, and has paid.
 */
export async function letOthersPay(deps: Deps, tokenId: string, kinds: readonly VerificationKind[]): Promise<void> {
  const { store, clock, findHolders, findRequest, landing } = deps;
  const now = clock.now();
  for (const requestId of await findHolders({ tokenId, kinds, before: new Date(now - HELD_MS) })) {
    const held = await findRequest(requestId);
    if (held?.state !== 'sending') continue;
    const isGone = await isMoneyGone(deps, held);
    const isDoomed = await landing.wouldFail(held);
    if (isDoomed && isGone) await store.transaction((tx) => giveWay(tx, requestId, new Date(now)));
    else if (!isDoomed || held.cosigners.length === 0) landing.sendAgain(held);
  }
}

/**
 * Whether the sender lacks what the payment takes of his own. Also true where the payment has taken it already; false where no node
 * can tell.
 */
async function isMoneyGone(deps: Payers, request: LedgerRow): Promise<boolean> {
  const payload = readPayload(request);
  const sender = request.wallet as Address;
  try {
    return (await areLamportsGone(deps, sender, payload)) || (await areTokensGone(deps, sender, payload));
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}

/** A node that is behind does not have what the sender was given lately. */
async function accountNow({ chain }: Payers, address: Address): Promise<ChainAccount | undefined> {
  const reading = await askSince(
    chain.newestSlot,
    () => chain.accountReading(address),
    ({ slot }) => slot,
  );
  return reading.account;
}

async function areLamportsGone(deps: Payers, sender: Address, { lamports }: PaymentPayload): Promise<boolean> {
  if (lamports === undefined) return false;
  return checkLamports(await accountNow(deps, sender), BigInt(lamports), false) !== undefined;
}

async function areTokensGone(
  deps: Payers,
  sender: Address,
  { currency, amount, paid = amount }: PaymentPayload,
): Promise<boolean> {
  if (currency === 'SOL') return false;
  const { mint } = paidIn(deps, currency);
  const facts = await deps.chain.mint(mint);
  if (!facts) return false;
  const { tokenProgram } = facts;
  const held = await accountNow(deps, associatedTokenAddress(sender, mint, tokenProgram));
  return checkTokens(held, { tokenProgram, sender, amount: BigInt(paid) }, currency) !== undefined;
}
