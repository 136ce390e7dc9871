import type { Address } from './address.js';
import { base58Encode } from './base58.js';
import { compactU16Length, writeCompactU16 } from './compact-u16.js';
import { decodeMessage } from './decode-message.js';
import { type DecodedMessage, requiredSigners } from './message.js';
import { Reader } from './reader.js';
import { WireError } from './wire-error.js';

/** The most bytes of a transaction that validators take: an IPv6 packet of 1280 less its headers. */
export const MAX_TRANSACTION_SIZE = 1232;

const SIGNATURE_LENGTH = 64;
const VERSION_FLAG = 0x80;

/** One signature for each required signer, in the message's order; one filled with zeros is missing. */
export interface Transaction {
  signatures: Uint8Array[];
  message: Uint8Array;
}

/**
 * Decodes the bytes of a transaction, which may be hostile. Throws WireError when they are over the packet limit or
 * malformed, or when there are not exactly as many signatures as the message requires. Does not verify signatures.
 */
export function decodeTransaction(wire: Uint8Array): Transaction & { decoded: DecodedMessage } {
  if (wire.length > MAX_TRANSACTION_SIZE) {
    throw new WireError(`the transaction has ${wire.length} bytes, more than ${MAX_TRANSACTION_SIZE}`);
  }
  const reader = new Reader(wire);
  const count = reader.count('the number of signatures', SIGNATURE_LENGTH);
  const signatures: Uint8Array[] = [];
  for (let i = 0; i < count; i++) signatures.push(reader.bytes(SIGNATURE_LENGTH, 'a signature'));
  const message = reader.bytes(reader.remaining, 'the message');
  const decoded = decodeMessage(message);
  checkSignatures(signatures, decoded.header.requiredSignatures);
  return { signatures, message, decoded };
}

/** The bytes of a transaction. Throws WireError when the signatures do not fit the message's header. */
export function encodeTransaction({ signatures, message }: Transaction): Uint8Array {
  checkSignatures(signatures, signaturesOf(message));
  const wire = new Uint8Array(
    compactU16Length(signatures.length) + SIGNATURE_LENGTH * signatures.length + message.length,
  );
  let position = writeCompactU16(signatures.length, wire, 0);
  for (const signature of signatures) {
    wire.set(signature, position);
    position += SIGNATURE_LENGTH;
  }
  wire.set(message, position);
  return wire;
}

/** The bytes of a transaction of which no signature is there yet. */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  const count = signaturesOf(message);
  const prefix = compactU16Length(count) + SIGNATURE_LENGTH * count;
  const wire = new Uint8Array(prefix + message.length);
  writeCompactU16(count, wire, 0);
  wire.set(message, prefix);
  return wire;
}

/**
 * The transaction with one more signature in its place; the given one is left as it is. Does not verify.
 * Throws WireError when the signer is not required or the signature has not 64 bytes.
 */
export function withSignature(transaction: Transaction, signer: Address, signature: Uint8Array): Transaction {
  const index = requiredSigners(decodeMessage(transaction.message)).indexOf(signer);
  if (index < 0) throw new WireError(`${signer} is no signer of this transaction`);
  const signatures = [...transaction.signatures];
  signatures[index] = signature;
  checkSignatures(signatures, signaturesOf(transaction.message));
  return { signatures, message: transaction.message };
}

/** The required signers whose signature is missing. */
export function missingSigners(transaction: Transaction): Address[] {
  return signersWhere(transaction, isMissing);
}

/** The transaction's id: the fee payer's signature in base58. Throws WireError when it is missing. */
export function transactionSignature(transaction: Transaction): string {
  const first = transaction.signatures[0];
  if (first === undefined || isMissing(first)) throw new WireError('the fee payer has not signed');
  return base58Encode(first);
}

/** The required signers whose signature the predicate takes. */
export function signersWhere(
  { signatures, message }: Transaction,
  predicate: (signature: Uint8Array, signer: Address) => boolean,
): Address[] {
  const signers = requiredSigners(decodeMessage(message));
  checkSignatures(signatures, signers.length);
  return signers.filter((signer, index) => predicate(signatures[index]!, signer));
}

function checkSignatures(signatures: Uint8Array[], required: number): void {
  if (signatures.length !== required)
    throw new WireError(`${signatures.length} signatures, the message wants ${required}`);
  for (const { length } of signatures) {
    if (length !== SIGNATURE_LENGTH) throw new WireError(`a signature has 64 bytes, not ${length}`);
  }
}

/** The number of signatures that the message's header asks for. */
function signaturesOf(message: Uint8Array): number {
  const first = message[0];
  const count = first !== undefined && first >= VERSION_FLAG ? message[1] : first;
  if (count === undefined) throw new WireError('ends before the header');
  return count;
}

export function isMissing(signature: Uint8Array): boolean {
  return signature.every((byte) => byte === 0);
}
