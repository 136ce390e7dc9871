import { INVITE_PROGRAM, inviteAddress, inviteSeed } from '@slipway/programs/formats';
import {
  addressFromBytes,
  base58Encode,
  decodeTransaction,
  encodeTransaction,
  address as toAddress,
  withSignature,
} from '@slipway/wire/formats';
import { fromBase64, toBase64 } from './base64.js';
import type { Programs } from './context.js';
import { SlipwayError } from './errors.js';
import type { CallbackSigner } from './signer.js';

const CODE_LENGTH = 12;
const RANDOM_BYTES = 13;
/** What stands before the seed of an Ed25519 key in PKCS #8. */
const PKCS8 = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);

/** A fresh code of 12 base58 characters: some 69 bits of randomness. */
export function newInviteCode(): string {
  return base58Encode(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).slice(0, CODE_LENGTH);
}

/** Signs with the key of an invite, which follows from its code. */
export async function inviteSigner(code: string): Promise<CallbackSigner> {
  const seed = seedOf(code);
  const bytes = new Uint8Array([...PKCS8, ...seed]);
  const key = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', true, ['sign']);
  const { x } = await crypto.subtle.exportKey('jwk', key);
  const address = addressFromBytes(fromBase64(x!.replaceAll('-', '+').replaceAll('_', '/')));
  const signTransaction = async (wire: Uint8Array): Promise<Uint8Array> => {
    const { signatures, message } = decodeTransaction(wire);
    const signature = await crypto.subtle.sign('Ed25519', key, new Uint8Array(message));
    return encodeTransaction(withSignature({ signatures, message }, address, new Uint8Array(signature)));
  };
  return { address, signTransaction };
}

function seedOf(code: string): Uint8Array {
  try {
    return inviteSeed(code);
  } catch {
    throw new SlipwayError('invalid_request', 'code: expected 12 base58 characters', { field: 'code' });
  }
}

/** Adds a signature to a transaction that has been checked. */
export async function signAlso(signer: CallbackSigner, signed: string): Promise<string> {
  return toBase64(await signer.signTransaction(fromBase64(signed)));
}

/** The account of the invite with this key. */
export function inviteAccount(key: string, { inviteEscrow }: Partial<Programs>): string {
  return inviteAddress(toAddress(key), toAddress(inviteEscrow ?? INVITE_PROGRAM));
}
