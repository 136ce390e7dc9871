import { type Address, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { BLOCKHASH_LIFE_MS, type ChainAccount, NO_MEMO } from '../../chain/index.js';
import { type Budget, base64Of, type Crafted } from '../../crafting/transaction.js';
import { craftTransfer, type Transfer } from '../../crafting/transfer.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { AppError, invalidField } from '../../errors/index.js';
import { explain, newRequest, tryOut } from '../../landing/index.js';
import { decimalString, roundedUsd, usdValue } from '../../lib/decimal.js';
import { uuidv7 } from '../../lib/ids.js';
import { TRANSFER, type TransfersDeps } from './deps.js';
import type { TransferAnswer } from './schema.js';

/**
 * Crafts a transfer, simulates it on the chain as it is now, and remembers it for execute. `wallet` is the sender's.
 * @throws AppError INVALID_REQUEST that says why it would fail
 */
export async function craft(
  deps: TransfersDeps,
  transfer: Transfer,
  wallet: ChainAccount | undefined,
): Promise<TransferAnswer> {
  const { chain, clock } = deps;
  const { sender } = transfer;
  let rent = 0n;
  const simulate = async ({ wire }: Crafted) => {
    if (transfer.kind === 'native' || !transfer.createFor) return chain.simulate(wire, { sigVerify: false });
    const { destination } = transfer;
    const before = await chain.account(destination);
    const outcome = await chain.simulate(wire, { sigVerify: false, accounts: [destination] });
    rent = (outcome.accounts[0]?.lamports ?? 0n) - (before?.lamports ?? 0n);
    return outcome;
  };
  const craftOne = (blockhash: string, budget: Budget) => craftTransfer(transfer, blockhash, budget);
  const tried = await tryOut(chain, craftOne, { simulate });
  if (!('crafted' in tried)) {
    const { code, message } = explain(tried.err);
    const reason = code === NO_MEMO ? 'the receiver takes only transfers with a memo' : message;
    throw new AppError('INVALID_REQUEST', { message: `The chain would refuse this transfer: ${reason}` });
  }
  const { crafted, lastValidBlockHeight } = tried;
  requireSol(transfer, wallet, crafted.feeLamports + rent);
  const id = uuidv7(clock);
  const request = { id, area: TRANSFER, wallet: sender, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
  await deps.remember(newRequest(request, clock));
  const solUsd = deps.prices.usd(WRAPPED_SOL_MINT);
  return {
    requestId: id,
    transaction: base64Of(crafted),
    expireAt: new Date(clock.now() + BLOCKHASH_LIFE_MS).toISOString(),
    feeAmount: Number(crafted.feeLamports),
    ...(solUsd !== undefined && { feeUsdAmount: roundedUsd(usdValue(crafted.feeLamports, 9, solUsd)) }),
    ...(rent > 0n && { rentFeeLamports: Number(rent) }),
  };
}

/**
 * Requires that the sender can pay `costs` besides what it sends, and keeps nothing or a wallet's minimum.
 * @throws AppError INVALID_REQUEST
 */
export function requireSol(transfer: Transfer, wallet: ChainAccount | undefined, costs: bigint): void {
  const sent = transfer.kind === 'native' ? transfer.amount : 0n;
  const held = wallet?.lamports ?? 0n;
  const remaining = held - costs - sent;
  if (remaining === 0n || remaining >= walletMinimum()) return;
  const sol = (lamports: bigint) => `${decimalString(lamports, 9)} SOL`;
  const needs = `${sent > 0n ? 'the amount and its fee take' : 'fee and rent take'} ${sol(sent + costs)}`;
  const keeps = `a wallet that is not emptied must keep ${sol(walletMinimum())}`;
  const why = `insufficient funds: the sender has ${sol(held)}, ${needs}, and ${keeps}`;
  throw invalidField(sent > 0n ? 'amount' : 'senderAddress', why);
}

/** An empty address may become a wallet; an account of a program never does. */
export function requireWallet(field: string, account: ChainAccount | undefined): void {
  if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0)) return;
  throw invalidField(field, 'expected a wallet; this is an account of a program');
}

/** @throws AppError INVALID_REQUEST */
export function requireOther(field: string, from: Address, to: Address): void {
  if (from === to) throw invalidField(field, 'expected another account than the one that sends');
}
