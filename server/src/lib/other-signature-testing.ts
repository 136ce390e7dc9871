import { createHash } from 'node:crypto';
import {
  addressToBytes,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  withSignature,
} from '@slipway/wire';

/** The order of the curve's base point. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The transaction, in base64, with another signature of this signer, which is as good: a key has one for each nonce. */
export function withOtherSignature(base64: string, signer: Keypair): string {
  const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(base64, 'base64'));
  const { message } = transaction;
  // Any other key is a nonce whose point is known.
  const nonce = generateKeypair();
  const point = addressToBytes(nonce.address);
  const hash = numberIn(sha512(point, addressToBytes(signer.address), message));
  const answer = (scalarOf(nonce) + hash * scalarOf(signer)) % ORDER;
  const signature = Buffer.concat([point, Buffer.from(answer.toString(16).padStart(64, '0'), 'hex').reverse()]);
  return Buffer.from(encodeTransaction(withSignature(transaction, signer.address, signature))).toString('base64');
}

function scalarOf({ secretKey }: Keypair): bigint {
  const half = sha512(secretKey.subarray(0, 32)).subarray(0, 32);
  half[0]! &= 248;
  half[31]! = (half[31]! & 127) | 64;
  return numberIn(half);
}

const numberIn = (littleEndian: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`);

function sha512(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
