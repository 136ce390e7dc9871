import type { Address } from './address.js';
import { verify } from './ed25519.js';
import { isMissing, signersWhere, type Transaction } from './transaction.js';

/** The required signers whose signature is there but wrong. */
export function invalidSigners(transaction: Transaction): Address[] {
  return signersWhere(
    transaction,
    (signature, signer) => !isMissing(signature) && !verify(signer, transaction.message, signature),
  );
}
