import {
  type Address,
  decodeTransaction,
  parseCreateAssociatedTokenIdempotent,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  verify,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { SKEW_SECONDS } from '../login-claims.js';
import { orderAccounts } from '../order-accounts.js';
import { factsOfOrder, type SealedOrder } from '../order-seal.js';
import { allow } from './refusal.js';
import { readToSign } from './transaction.js';
import { termsThatWiden, wideningText } from './widening.js';

/** How long a signature over new terms is taken, in milliseconds. */
export const CONSENT_MS = 5 * 60_000;
/** From the craft of a deposit to its order: longer than any blockhash lives. */
const DEPOSIT_MS = 10 * 60_000;
const SKEW_MS = SKEW_SECONDS * 1_000;

/** The wallet's signature (64 bytes) over the text of an edit, and when it was made, in Unix milliseconds. */
export interface Consent {
  signature: Uint8Array;
  signedAt: number;
}

interface Asked {
  wallet: Address;
  vault: Address;
  now: number;
}

/**
 * A new order sells what the wallet has just signed a deposit of, for what that deposit names. Its prices, slippage and end
 * are in no transaction: they are by the wallet's login.
 * @throws NotAllowed, WireError
 */
export function checkNewOrder(order: SealedOrder, deposit: Uint8Array, { wallet, vault, now }: Asked): void {
  const { depositRequestId, inputAccount, outputAccount, inputMint, outputMint, progress } = order;
  allow(order.wallet === wallet && order.vault === vault, 'the order is one of another wallet');
  const craftedAt = Number.parseInt(depositRequestId.replace('-', '').slice(0, 12), 16);
  const isNew = craftedAt > now - DEPOSIT_MS - SKEW_MS && craftedAt < now + SKEW_MS;
  allow(isNew, 'its deposit was not crafted a moment ago');
  const { message, signatures } = decodeTransaction(deposit);
  const { signers, instructions } = readToSign(message);
  const place = signers.indexOf(wallet);
  allow(place >= 0 && verify(wallet, message, signatures[place]!), 'the wallet has not signed the deposit');

  const opened = instructions
    .map(parseSystemCreateAccountWithSeed)
    .filter((each) => each?.base === vault)
    .map((each) => each!.newAccount as string);
  const kept = outputAccount === null ? [] : [outputAccount];
  const isOwn = (account: string, side: 'in' | 'out') =>
    orderAccounts(vault, depositRequestId, [side]).includes(account as Address);
  allow(isOwn(inputAccount, 'in') && kept.every((each) => isOwn(each, 'out')), 'an account is not the order’s');
  allow(isSame(opened, [inputAccount, ...kept]), 'the deposit makes other accounts');
  allow((progress.type === 'otoco') === kept.length > 0, 'the deposit was made for another type');

  const paid = instructions.flatMap((instruction) => {
    const tokens = parseTransferChecked(instruction);
    if (tokens) return [{ ...tokens, from: tokens.authority, to: tokens.destination }];
    const sol = parseSystemTransfer(instruction);
    return sol ? [{ from: sol.from, to: sol.to, amount: sol.lamports, mint: WRAPPED_SOL_MINT }] : [];
  });
  const [first, ...more] = paid.filter(({ to }) => to === inputAccount);
  const isPaid = first?.from === wallet && first.mint === inputMint && first.amount === progress.entry.initial;
  allow(isPaid && more.length === 0, 'the deposit is another one');

  // What is bought arrives there. SOL arrives at the wallet itself.
  const expected = outputMint === WRAPPED_SOL_MINT ? [] : [outputMint];
  const bought = instructions
    .map(parseCreateAssociatedTokenIdempotent)
    .filter((each) => each?.owner === wallet)
    .map((each) => each!.mint as string);
  allow(isSame(bought, expected), 'the deposit is for another output');
}

interface EditRules {
  host: string;
  /** The most slippage that a login alone may have an order accept. */
  mostBps: number;
}

/**
 * An edit leaves alone what the order is, and gives no more of it away than a login alone may, unless the wallet has signed
 * that. The seal of the order as it was is checked before.
 * @throws NotAllowed
 */
export function checkEdit(
  { before, after, consent }: { before: SealedOrder; after: SealedOrder; consent?: Consent | undefined },
  { wallet, now }: Asked,
  { host, mostBps }: EditRules,
): void {
  allow(after.wallet === wallet, 'the order is one of another wallet');
  const isSameOrder = isSame(factsOfOrder(before), factsOfOrder(after));
  allow(isSameOrder && before.triggerCondition === after.triggerCondition, 'an edit changes what the order is');
  const [widened] = termsThatWiden(before, after, mostBps);
  if (widened === undefined) return;
  allow(consent, `the wallet must sign this change of ${widened}`);
  allow(Math.abs(now - consent.signedAt) <= CONSENT_MS + SKEW_MS, 'its signature over the change is too old');
  const text = wideningText({ id: after.id, host, signedAt: new Date(consent.signedAt) }, before, after);
  allow(verify(wallet, Buffer.from(text), consent.signature), 'the wallet has not signed this change');
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);
