import type { Answer } from './call.js';
import { type Connection, type FlowOptions, poll, signerOf } from './context.js';
import { amountText, answered, checkAndSign, requireAddress } from './flow.js';
import type { WaitOptions } from './submit.js';

export type LimitOrder = Answer<'get', '/trigger/v1/getTriggerOrders'>['orders'][number];

/** An order that the chain holds until somebody pays what it asks. Amounts in the smallest unit. */
export interface LimitOrderRequest {
  inputMint: string;
  outputMint: string;
  /** Of the input; worth at least 5 USD. */
  makingAmount: bigint;
  /** What the wallet gets for all of it. */
  takingAmount: bigint;
  /** From when on it cannot be filled; left out: never. */
  expiresAt?: Date | undefined;
  /** How much less than asked the wallet accepts; 0 by default. */
  slippageBps?: number | undefined;
  /**
   * The most that whoever fills it pays on top, in basis points of what the wallet gets: with slippage, of what it could get. 10 by
   * default, the fee of the public program; an operator's own program may take another.
   */
  maxFeeBps?: number | undefined;
}

/** Opens a limit order, and waits until it has landed. */
export async function createLimitOrder(
  connection: Connection,
  request: LimitOrderRequest,
  options: FlowOptions = {},
): Promise<{ order: string; signature: string }> {
  const { signer, wallet } = signerOf(connection, options);
  const { inputMint, outputMint, expiresAt, slippageBps } = request;
  requireAddress('inputMint', inputMint);
  requireAddress('outputMint', outputMint);
  const params = {
    makingAmount: amountText('makingAmount', request.makingAmount),
    takingAmount: amountText('takingAmount', request.takingAmount),
    ...(expiresAt && { expiredAt: `${Math.floor(expiresAt.getTime() / 1_000)}` }),
    ...(slippageBps !== undefined && { slippageBps: `${slippageBps}` }),
  };
  const body = { inputMint, outputMint, maker: wallet, payer: wallet, params };
  const crafted = await connection.api.post('/trigger/v1/createOrder', { body, signal: options.signal });
  const loadCheck = async () => {
    const { checkAskedOrder } = await import('./check-limit-order.js');
    return checkAskedOrder.bind(undefined, connection.programs, request, { wallet, order: crafted.order });
  };
  const done = await checkAndSign(connection, crafted.transaction, loadCheck, { ...options, signer });
  const { signature } = await execute(connection, crafted.requestId, done, options);
  return { order: crafted.order, signature };
}

/** Cancels an order: what it still holds comes back. */
export async function cancelLimitOrder(
  connection: Connection,
  order: string,
  options: FlowOptions = {},
): Promise<{ signature: string }> {
  const { signer, wallet } = signerOf(connection, options);
  requireAddress('order', order);
  const body = { maker: wallet, order };
  const crafted = await connection.api.post('/trigger/v1/cancelOrder', { body, signal: options.signal });
  const loadCheck = async () => {
    const { checkAskedCancelling } = await import('./check-limit-order.js');
    return checkAskedCancelling.bind(undefined, connection.programs, { wallet, orders: [order] });
  };
  return execute(
    connection,
    crafted.requestId,
    await checkAndSign(connection, crafted.transaction, loadCheck, { ...options, signer }),
    options,
  );
}

async function execute(
  connection: Connection,
  requestId: string,
  { signed, signature: expected }: Awaited<ReturnType<typeof checkAndSign>>,
  { signal, onProgress }: FlowOptions,
) {
  onProgress?.({ step: 'sent', signature: expected });
  const body = { requestId, signedTransaction: signed };
  const post = connection.api.post('/trigger/v1/execute', { body, signal, repeatable: true });
  const { signature } = await answered(expected, post);
  onProgress?.({ step: 'landed', signature });
  return { signature };
}

/** The wallet's orders: those that are open, or those that have ended. */
export async function limitOrders(
  connection: Connection,
  request: { status: 'active' | 'history'; user?: string; page?: number },
  options: FlowOptions = {},
): Promise<LimitOrder[]> {
  const { status, page } = request;
  const user = request.user ?? signerOf(connection, options).wallet;
  const query = { user, orderStatus: status, ...(page && { page }) };
  return (await connection.api.get('/trigger/v1/getTriggerOrders', { query, signal: options.signal })).orders;
}

/** Waits until an order has ended: filled, cancelled or expired. */
export function waitForLimitOrder(
  connection: Connection,
  order: string,
  options: WaitOptions = {},
): Promise<LimitOrder> {
  const { signal, timeoutMs = 60_000 } = options;
  const ask = async () =>
    (await limitOrders(connection, { status: 'history' }, options)).find(({ orderKey }) => orderKey === order);
  return poll(ask, { everyMs: 500, timeoutMs, what: `${order} has not ended`, signal });
}
