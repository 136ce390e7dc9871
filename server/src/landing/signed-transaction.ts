import {
  type Address,
  decodeTransaction,
  invalidSigners,
  isVersion1,
  missingSigners,
  type Transaction,
  WireError,
} from '@slipway/wire';
import { hashMessage } from '../crafting/transaction.js';

/** What is wrong with a signed transaction. */
export type BadTransaction =
  | { reason: 'undecodable'; detail: string }
  | { reason: 'message-changed' }
  | { reason: 'missing-signature'; signer: Address }
  | { reason: 'invalid-signature'; signer: Address };

export interface SignedTransaction {
  transaction: Transaction;
  signers: Address[];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const VERSION_1 = 'transactions of version 1 are not taken; expected a legacy one, or one of version 0';

/** Decodes a base64 transaction strictly, or returns what is wrong with it. */
export function readSigned(base64: string): SignedTransaction | BadTransaction {
  if (base64.length === 0 || !BASE64.test(base64)) return { reason: 'undecodable', detail: 'not base64' };
  const wire = Buffer.from(base64, 'base64');
  if (isVersion1(wire)) return { reason: 'undecodable', detail: VERSION_1 };
  try {
    const { decoded, ...transaction } = decodeTransaction(wire);
    return { transaction, signers: decoded.accounts.slice(0, decoded.header.requiredSignatures) };
  } catch (error) {
    if (error instanceof WireError) return { reason: 'undecodable', detail: error.message };
    throw error;
  }
}

/**
 * Whether another pays the fee of what a wallet signs, and none of our keys signs it: once it is posted he has all signatures of
 * it. He may land it when he likes, and with another signature than the one that was posted, as a key has many for one message.
 */
export function isLedByAnother(
  { wallet, cosigners }: { wallet: string; cosigners: readonly string[] },
  feePayer: Address,
): boolean {
  return cosigners.length === 0 && wallet !== feePayer;
}

export function isBadTransaction(value: object): value is BadTransaction {
  return 'reason' in value;
}

/**
 * Checks the signatures that a client must provide. `ours` are the addresses whose signatures are added afterwards;
 * whatever is in their places now is overwritten.
 */
export function checkSignatures(
  { transaction }: SignedTransaction,
  ours: readonly Address[] = [],
): BadTransaction | undefined {
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
): BadTransaction | undefined {
  if (Buffer.compare(hashMessage(signed.transaction.message), crafted.messageHash) !== 0)
    return { reason: 'message-changed' };
  return checkSignatures(signed, ours);
}

/** The defect as a clause, without a field name. `changed`: the text for a message that was not crafted here. */
export function explainBadTransaction(
  bad: BadTransaction,
  changed = 'its message is not the one that was crafted for this requestId',
): string {
  switch (bad.reason) {
    case 'undecodable':
      return bad.detail;
    case 'message-changed':
      return changed;
    case 'missing-signature':
      return `the signature of ${bad.signer} is missing`;
    case 'invalid-signature':
      return `the signature of ${bad.signer} does not match`;
  }
}
