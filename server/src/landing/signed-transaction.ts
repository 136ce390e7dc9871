import {
  type Address,
  decodeTransaction,
  invalidSigners,
  missingSigners,
  type Transaction,
  WireError,
} from '@slipway/wire';
import { hashMessage } from '../crafting/transaction.js';

/** Why a signed transaction is not taken. Nothing was sent, and the request id is as it was. */
export type Refusal =
  | { reason: 'undecodable'; detail: string }
  | { reason: 'message-changed' }
  | { reason: 'missing-signature'; signer: Address }
  | { reason: 'invalid-signature'; signer: Address };

export interface SignedTransaction {
  transaction: Transaction;
  signers: Address[];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a base64 transaction strictly; a refusal says what is wrong with it. */
export function readSigned(base64: string): SignedTransaction | Refusal {
  if (base64.length === 0 || !BASE64.test(base64)) return { reason: 'undecodable', detail: 'not base64' };
  try {
    const { decoded, ...transaction } = decodeTransaction(Buffer.from(base64, 'base64'));
    return { transaction, signers: decoded.accounts.slice(0, decoded.header.requiredSignatures) };
  } catch (error) {
    if (error instanceof WireError) return { reason: 'undecodable', detail: error.message };
    throw error;
  }
}

export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}

/**
 * Checks the signatures that a signed transaction must bring. `ours` are the addresses whose signatures the service adds
 * itself afterwards; whatever stands in their places now is overwritten.
 */
export function checkSignatures(
  { transaction }: SignedTransaction,
  ours: readonly Address[] = [],
): Refusal | undefined {
  const theirs = (signer: Address) => !ours.includes(signer);
  const missing = missingSigners(transaction).find(theirs);
  if (missing) return { reason: 'missing-signature', signer: missing };
  const invalid = invalidSigners(transaction).find(theirs);
  if (invalid) return { reason: 'invalid-signature', signer: invalid };
  return undefined;
}

/** Checks that a signed transaction carries exactly the message that was crafted, signed by everybody but us. */
export function checkAgainstCrafted(
  signed: SignedTransaction,
  crafted: { messageHash: Uint8Array },
  ours: readonly Address[],
): Refusal | undefined {
  if (Buffer.compare(hashMessage(signed.transaction.message), crafted.messageHash) !== 0)
    return { reason: 'message-changed' };
  return checkSignatures(signed, ours);
}
