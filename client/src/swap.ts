import type { Answer } from './call.js';
import type { SwapAsked } from './check-swap.js';
import { type Connection, type FlowOptions, signerOf } from './context.js';
import { SlipwayError } from './errors.js';
import { amountOf, amountText, answered, checkAndSign, leastOf, MAX_FEE_LAMPORTS, requireAddress } from './flow.js';
import { expect } from './refuse.js';

export type SwapOrder = Answer<'get', '/ultra/v1/order'>;

/** What to swap. Amounts in the smallest unit: of SOL 1,000,000,000 are one. */
export interface SwapRequest {
  inputMint: string;
  outputMint: string;
  /** Leaves the wallet, a fee out of it included. */
  amount: bigint;
  /** Refuses a quote of less. Without it the service's price is taken, less the slippage. */
  minOutput?: bigint | undefined;
  /** Gets the output; the wallet itself by default. */
  receiver?: string | undefined;
  /** Instead of the slippage that the service finds. */
  slippageBps?: number | undefined;
  /** The most that the wallet pays for the network, tip included; 0.01 SOL by default. */
  maxFeeLamports?: bigint | undefined;
  priorityFeeLamports?: number | undefined;
  jitoTipLamports?: number | undefined;
  referralAccount?: string | undefined;
  referralFee?: number | undefined;
  excludeRouters?: string | undefined;
  excludeDexes?: string | undefined;
}

export interface Swapped {
  signature: string;
  /**
   * What left the wallet, and what the receiver got. Where another company's program traded for SOL, that is less the rents that
   * it took of the wallet, which may be more.
   */
  inputAmount: bigint;
  outputAmount: bigint;
  order: SwapOrder;
}

/** What a swap would give now, without a transaction. */
export async function quote(
  connection: Connection,
  request: SwapRequest,
  options: FlowOptions = {},
): Promise<SwapOrder> {
  return connection.api.get('/ultra/v1/order', { query: queryOf(request), signal: options.signal });
}

/**
 * The `minOutput` for a swap whose quote was shown: in the smallest unit, rounded up, 1 % below the quote if it is not said otherwise. A quote without
 * a wallet knows of no slippage, and the price moves until the swap: bound to the very quote, most swaps would be refused.
 */
export function minOutputOf({ outAmount }: Pick<SwapOrder, 'outAmount'>, toleranceBps = 100): bigint {
  return (amountOf(outAmount) * BigInt(10_000 - toleranceBps) + 9_999n) / 10_000n;
}

/** Takes the best quote for the wallet, as a transaction that can be looked at and given to `executeSwap`. */
export async function orderSwap(
  connection: Connection,
  request: SwapRequest,
  options: FlowOptions = {},
): Promise<SwapOrder> {
  const { wallet } = signerOf(connection, options);
  return connection.api.get('/ultra/v1/order', {
    query: { ...queryOf(request), taker: wallet },
    signal: options.signal,
  });
}

/**
 * Swaps at the best quote, and waits until it has landed.
 * @throws SlipwayError refused_to_sign, nothing_to_sign, signer, failed, and those of every call
 */
export async function swap(connection: Connection, request: SwapRequest, options: FlowOptions = {}): Promise<Swapped> {
  return executeSwap(connection, request, await orderSwap(connection, request, options), options);
}

/** Checks an order against what was asked, signs it, and waits until it has landed. */
export async function executeSwap(
  connection: Connection,
  request: SwapRequest,
  order: SwapOrder,
  options: FlowOptions = {},
): Promise<Swapped> {
  const { signer, wallet } = signerOf(connection, options);
  const { transaction, requestId } = order;
  if (!transaction) {
    const reason = order.errorMessage ?? 'the service has made no transaction';
    throw new SlipwayError('nothing_to_sign', reason, { details: order });
  }
  const asked = askedOf(connection, request, order, wallet);
  const quoted = { input: amountOf(order.inAmount), output: amountOf(order.outAmount) };
  const loadCheck = async () => {
    const { checkAskedSwap } = await import('./check-swap.js');
    return checkAskedSwap.bind(undefined, asked);
  };
  const { signed, signature } = await checkAndSign(connection, transaction, loadCheck, { ...options, signer });
  options.onProgress?.({ step: 'sent', signature });
  const body = { signedTransaction: signed, requestId };
  const post = connection.api.post('/ultra/v1/execute', { body, signal: options.signal, repeatable: true });
  const done = await answered(signature, post);
  if (done.status !== 'Success') {
    const facts = { details: done, signature: done.signature, retryable: true };
    throw new SlipwayError('failed', done.error ?? `the swap failed with ${done.code}`, facts);
  }
  options.onProgress?.({ step: 'landed', signature: done.signature });
  return {
    signature: done.signature ?? signature ?? '',
    inputAmount: movedOf(done.totalInputAmount, quoted.input),
    outputAmount: movedOf(done.totalOutputAmount, quoted.output),
    order,
  };
}

/** What a trade has moved, or the quote where none is told. It has landed: whoever catches an error would trade again. */
export function movedOf(told: string | undefined, quoted: bigint): bigint {
  return told !== undefined && /^-?\d{1,20}$/.test(told) ? BigInt(told) : quoted;
}

function queryOf(request: SwapRequest) {
  const { minOutput: _, maxFeeLamports: __, amount, ...query } = request;
  for (const field of ['inputMint', 'outputMint'] as const) requireAddress(field, query[field]);
  return { ...query, amount: amountText('amount', amount) };
}

/** What the bytes must do: the request, with the quote's least where that is not below what was asked for. */
function askedOf({ programs }: Connection, request: SwapRequest, order: SwapOrder, taker: string): SwapAsked {
  const { inputMint, outputMint, amount, minOutput = 1n, receiver = taker, slippageBps } = request;
  const most = request.maxFeeLamports ?? MAX_FEE_LAMPORTS;
  const least = amountOf(order.otherAmountThreshold);
  expect(least >= minOutput, `only ${least} are sure to arrive, and ${minOutput} were asked`);
  // One basis point beside it, for services that round down: a unit of many is nothing, one of a few may be worth much.
  const slipped = amountOf(order.outAmount) * BigInt(9_999 - (slippageBps ?? order.slippageBps));
  expect(least * 10_000n >= slipped, 'more slippage than was asked');
  const quotedFee = amountOf(order.signatureFeeLamports + order.prioritizationFeeLamports);
  const tipLamports = BigInt(request.jitoTipLamports ?? 0);
  return {
    taker,
    receiver,
    inputMint,
    outputMint,
    amount,
    least,
    gasless: order.gasless,
    maxFeeLamports: leastOf(quotedFee, most),
    tipLamports,
    mayCreate: order.rentFeeLamports > 0,
    programs,
  };
}
