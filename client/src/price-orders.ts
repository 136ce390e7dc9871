import type { paths } from './api-types.js';
import type { Answer } from './call.js';
import { type Connection, type FlowOptions, poll, signerOf } from './context.js';
import { SlipwayError } from './errors.js';
import { amountText, answered, checkAndSign, requireAddress, timeOf } from './flow.js';
import type { WaitOptions } from './submit.js';

type OrderBody = paths['/trigger/v2/orders/price']['post']['requestBody']['content']['application/json'];
type Terms = Omit<
  OrderBody,
  | 'depositRequestId'
  | 'depositSignedTx'
  | 'userPubkey'
  | 'inputAmount'
  | 'expiresAt'
  | 'inputMint'
  | 'outputMint'
  | 'triggerMint'
>;
export type PriceOrder = Answer<'get', '/trigger/v2/orders/history/{orderId}'>;
type Withdrawn = Answer<'post', '/trigger/v2/orders/price/confirm-cancel/{orderId}'>;
export type CancelledPriceOrder = { signature: string } & Pick<Withdrawn, 'withdrawn' | 'orderState'>;
export type PriceOrderEdit =
  paths['/trigger/v2/orders/price/{orderId}']['patch']['requestBody']['content']['application/json'];

/** A wallet that has logged in. The token lives 24 hours; it can edit and cancel, and never move funds. */
export interface Login {
  token: string;
  wallet: string;
  /** The service's custody for this wallet: deposits go there. It is taken on the service's word. */
  vault: string;
}

/** An order that waits for a price: `single`, `oco` (take profit or stop loss) or `otoco`, with the prices in USD. */
export type PriceOrderRequest = Terms & {
  inputMint: string;
  outputMint: string;
  /** Deposited, in the smallest unit. */
  inputAmount: bigint;
  /** The token whose price fires the order; the input by default. */
  triggerMint?: string | undefined;
  expiresAt: Date;
};

/** Logs the wallet in by a message that it signs, and makes its vault where it has none. */
export async function login(connection: Connection, options: FlowOptions = {}): Promise<Login> {
  const { signer, wallet } = signerOf(connection, options);
  const { api } = connection;
  const { signal } = options;
  const { challenge = '' } = await api.post('/trigger/v2/auth/challenge', {
    body: { walletPubkey: wallet, type: 'message' },
    signal,
  });
  const { signLogin } = await import('./sign-login.js');
  const signature = await signLogin(connection, signer, challenge, wallet, signal);
  const body = { type: 'message' as const, walletPubkey: wallet, signature };
  const { token } = await api.post('/trigger/v2/auth/verify', { body, signal });
  await api.get('/trigger/v2/vault/register', { token, signal }).catch((error: unknown) => {
    if (!(error instanceof SlipwayError) || error.status !== 409) throw error;
  });
  const { vaultPubkey: vault } = await api.get('/trigger/v2/vault', { token, signal });
  return { token, wallet, vault };
}

/** Ends every login of the wallet, also those of other devices: within a second no copy of the service takes one. */
export async function logout({ api }: Connection, { token }: Login, { signal }: FlowOptions = {}): Promise<void> {
  await api.post('/trigger/v2/auth/logout', { token, signal });
}

/** Deposits the amount and places the order; both land together. */
export async function placePriceOrder(
  connection: Connection,
  { token, wallet, vault }: Login,
  request: PriceOrderRequest,
  options: FlowOptions = {},
): Promise<{ id: string; signature: string }> {
  const { signer } = signerOf(connection, options);
  const { signal } = options;
  const { inputMint, outputMint, triggerMint = inputMint, inputAmount, expiresAt, ...terms } = request;
  requireAddress('inputMint', inputMint);
  requireAddress('outputMint', outputMint);
  const amount = amountText('inputAmount', inputAmount);
  // Before the wallet is asked to sign.
  const expiry = timeOf('expiresAt', expiresAt);
  const orderSubType = terms.orderType;
  const body = { inputMint, outputMint, userAddress: wallet, amount, orderType: 'price' as const, orderSubType };
  const deposit = await connection.api.post('/trigger/v2/deposit/craft', { body, token, signal });
  const loadCheck = async () => {
    const { checkAskedDeposit } = await import('./check-vault.js');
    const account = deposit.inputTokenAccount;
    return checkAskedDeposit.bind(undefined, { wallet, vault, inputMint, outputMint, amount: inputAmount, account });
  };
  const { signed, signature } = await checkAndSign(connection, deposit.transaction, loadCheck, { ...options, signer });
  const order: OrderBody = {
    ...terms,
    inputMint,
    outputMint,
    triggerMint,
    inputAmount: amount,
    userPubkey: wallet,
    depositRequestId: deposit.requestId,
    depositSignedTx: signed,
    expiresAt: expiry,
  };
  options.onProgress?.({ step: 'sent' });
  const post = connection.api.post('/trigger/v2/orders/price', { body: order, token, signal, repeatable: true });
  const made = await answered(signature, post);
  options.onProgress?.({ step: 'landed', signature: made.txSignature });
  return { id: made.id, signature: made.txSignature };
}

/** Changes the prices, slippage or expiry of an open order. */
export function editPriceOrder(
  { api }: Connection,
  { token }: Login,
  orderId: string,
  body: PriceOrderEdit,
  { signal }: FlowOptions = {},
) {
  return api.patch('/trigger/v2/orders/price/{orderId}', { path: { orderId }, body, token, signal });
}

/**
 * Cancels an order, and takes everything that it holds out of the vault. `orderState` is `pending_withdraw` afterwards where only a
 * part could leave now (`withdrawn`), or where somebody else has sent tokens there: another call brings the rest, or closes the accounts.
 * `mints`: those of the order, where you have kept them; then nothing else is withdrawn, and the wallet pays for accounts of no others.
 */
export async function cancelPriceOrder(
  connection: Connection,
  { token, wallet, vault }: Login,
  orderId: string,
  options: FlowOptions & { mints?: readonly string[] | undefined } = {},
): Promise<CancelledPriceOrder> {
  const { signer } = signerOf(connection, options);
  const { signal } = options;
  const { api } = connection;
  const path = { orderId };
  const ask = { path, token, signal, repeatable: true };
  const crafted = await api.post('/trigger/v2/orders/price/cancel/{orderId}', ask);
  const loadCheck = async () => {
    const { checkAskedWithdrawal } = await import('./check-vault.js');
    return checkAskedWithdrawal.bind(undefined, { wallet, vault, mints: options.mints });
  };
  const { signed, signature } = await checkAndSign(connection, crafted.transaction, loadCheck, { ...options, signer });
  const body = { signedTransaction: signed, cancelRequestId: crafted.requestId };
  options.onProgress?.({ step: 'sent' });
  const confirm = '/trigger/v2/orders/price/confirm-cancel/{orderId}';
  const post = api.post(confirm, { path, body, token, signal, repeatable: true });
  const { txSignature, withdrawn, orderState } = await answered(signature, post);
  options.onProgress?.({ step: 'landed', signature: txSignature });
  return { signature: txSignature, withdrawn, orderState };
}

/** One order as it is now. */
export function priceOrder({ api }: Connection, { token }: Login, orderId: string, { signal }: FlowOptions = {}) {
  return api.get('/trigger/v2/orders/history/{orderId}', { path: { orderId }, token, signal });
}

/** Waits until an order has one of these states; `filled` by default. */
export function waitForPriceOrder(
  connection: Connection,
  session: Login,
  orderId: string,
  { states = ['filled'], ...options }: WaitOptions & { states?: readonly string[] } = {},
): Promise<PriceOrder> {
  const { signal, timeoutMs = 60_000 } = options;
  const ask = async () => {
    const order = await priceOrder(connection, session, orderId, { signal });
    return states.includes(order.orderState) ? order : undefined;
  };
  return poll(ask, { everyMs: 400, timeoutMs, what: `${orderId} is not ${states.join(' or ')}`, signal });
}
