import type { paths } from './api-types.js';
import type { Answer } from './call.js';
import { type Connection, type FlowOptions, signerOf } from './context.js';
import { SlipwayError } from './errors.js';
import { amountOf, answered, checkAndSign, requireAddress } from './flow.js';

const EXPRESS = '/tokens/v2/verify/express';
export type Payment = Answer<'get', `${typeof EXPRESS}/craft-txn`>;
type Details = paths[`${typeof EXPRESS}/execute`]['post']['requestBody']['content']['application/json'];

/** The verification of a token, and what of its price the payer insists on. */
export interface VerificationRequest {
  /** The mint to verify. */
  tokenId: string;
  twitterHandle: string;
  description: string;
  senderTwitterHandle?: string | undefined;
  tokenMetadata?: Details['tokenMetadata'];
  /** Pays in another currency than the platform's token. */
  paymentCurrency?: 'PLATFORM_TOKEN' | 'SOL' | 'USDC' | 'PLATFORM_STABLE' | undefined;
  /** The most that leaves the wallet, in the smallest unit of the currency. Without it the service's price is paid. */
  maxAmount?: bigint | undefined;
  /** Whom to pay, and in what. Without them the service's word is taken. */
  receiver?: string | undefined;
  mint?: string | undefined;
  /** The mint of `paymentCurrency`, where that is USDC or PLATFORM_STABLE. Without it the service's word is taken. */
  inputMint?: string | undefined;
}

export interface Verified {
  signature: string;
  /** What the receiver got, in the smallest unit of `mint`. */
  amount: bigint;
  mint: string;
  verificationCreated: boolean;
  metadataCreated: boolean;
}

/** Whether a token can be verified now, and why not. */
export function checkEligibility(connection: Connection, tokenId: string, options: FlowOptions = {}) {
  return connection.api.get(`${EXPRESS}/check-eligibility`, { query: { tokenId }, signal: options.signal });
}

/**
 * Pays for the verification of a token, and waits until the payment has landed.
 * @throws SlipwayError refused_to_sign, nothing_to_sign, signer, failed, and those of every call
 */
export async function payVerification(
  connection: Connection,
  request: VerificationRequest,
  options: FlowOptions = {},
): Promise<Verified> {
  const { signer, wallet } = signerOf(connection, options);
  requireAddress('tokenId', request.tokenId);
  const { maxAmount: _, receiver: __, mint: ___, inputMint: ____, paymentCurrency, ...details } = request;
  const query = { senderAddress: wallet, ...(paymentCurrency && { paymentCurrency }) };
  const payment = await connection.api.get(`${EXPRESS}/craft-txn`, { query, signal: options.signal });
  if (payment.code !== 0)
    throw new SlipwayError('nothing_to_sign', payment.error ?? `code ${payment.code}`, { details: payment });
  const loadCheck = async () => {
    const { checkAskedPayment } = await import('./check-payment.js');
    return checkAskedPayment.bind(undefined, connection, request, payment, wallet);
  };
  const { signed, signature } = await checkAndSign(connection, payment.transaction, loadCheck, { ...options, signer });
  options.onProgress?.({ step: 'sent', signature });
  const body = {
    ...details,
    transaction: signed,
    requestId: payment.requestId,
    senderAddress: wallet,
    ...(paymentCurrency && { paymentCurrency }),
    ...(payment.quotedInputAmount !== undefined && { paymentAmount: payment.quotedInputAmount }),
  };
  const post = connection.api.post(`${EXPRESS}/execute`, { body, signal: options.signal, repeatable: true });
  const done = await answered(signature, post);
  if (done.status !== 'Success') {
    const facts = { details: done, signature: done.signature, retryable: true };
    throw new SlipwayError('failed', done.error ?? `the payment failed with ${done.code}`, facts);
  }
  options.onProgress?.({ step: 'landed', signature: done.signature });
  return {
    signature: done.signature ?? signature ?? '',
    amount: amountOf(payment.amount),
    mint: payment.mint,
    verificationCreated: done.verificationCreated,
    metadataCreated: done.metadataCreated,
  };
}
