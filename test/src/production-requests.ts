import assert from 'node:assert/strict';
import { decodeTransaction, encodeTransaction, sign, withSignature } from '@slipway/wire';
import type { Owner, Owners, Placed } from './production-owners.js';
import { eventually } from './rounds.js';
import { signTransaction } from './wallet.js';

/** A transaction to sign, and what to post it for. */
export interface ToSign {
  transaction: string;
  requestId: string;
}

export const cancelPath = ({ id }: Placed) => `/trigger/v2/orders/price/cancel/${id}`;
export const confirmPath = ({ id }: Placed) => `/trigger/v2/orders/price/confirm-cancel/${id}`;

/** What confirms the withdrawal of an order, signed by its owner or by somebody else. */
export const confirmed = (order: Placed, { transaction, requestId }: ToSign, by = order.wallet) => ({
  token: order.session.token,
  body: { signedTransaction: signTransaction(transaction, by), cancelRequestId: requestId },
});

/** With the signature of somebody else where that of its owner should be. */
export function signedInstead(transaction: string, { wallet }: Owner, by: Owner): string {
  const { signatures, message } = decodeTransaction(Buffer.from(transaction, 'base64'));
  const signed = withSignature({ signatures, message }, wallet.address, sign(by.wallet, message));
  return Buffer.from(encodeTransaction(signed)).toString('base64');
}

/** Asks for the withdrawal of an order. */
export async function cancel({ ask }: Owners, order: Placed): Promise<ToSign> {
  const { status, body } = await ask<ToSign>(cancelPath(order), { method: 'POST', token: order.session.token });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** A swap to sign, once the pools between the two tokens are known. */
export function orderSwap(
  { ask }: Owners,
  taker: string,
  { inputMint, outputMint, amount }: { inputMint: string; outputMint: string; amount: bigint },
): Promise<ToSign & { gasless: boolean }> {
  return eventually('there is a quote', async () => {
    const query = `inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${taker}`;
    const { status, body } = await ask<ToSign & { gasless: boolean }>(`/ultra/v1/order?${query}`);
    return status === 200 ? body : undefined;
  });
}

export const executeSwap = ({ ask }: Owners, requestId: string, signedTransaction: string) =>
  ask<{ status: string; code: number }>('/ultra/v1/execute', { body: { requestId, signedTransaction } });
