import { base58Encode } from '@slipway/wire/formats';
import { expect } from './refuse.js';
import { signMessage } from './sign.js';
import type { Signer } from './signer.js';

/** Signs the text of a login: one that names the wallet, and that no chain takes for a transaction. */
export async function signLogin(
  signer: Signer,
  challenge: string,
  wallet: string,
  signal?: AbortSignal,
): Promise<string> {
  const isText = /^[\x20-\x7e\n]{40,1000}$/.test(challenge);
  expect(isText && challenge.includes(wallet), 'the login is no text that names the wallet');
  return base58Encode(await signMessage(signer, new TextEncoder().encode(challenge), signal));
}
