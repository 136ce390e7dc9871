import { base58Encode, type Keypair, sign } from '@slipway/wire';
import { type Answer, request, type Service } from './service.js';
import { signTransaction } from './wallet.js';

export const TRIGGER = '/trigger/v2';

export interface Refused {
  error: string;
  details?: Record<string, string>;
}

/** Asks for something to sign. */
export async function challengeOf(
  service: Service,
  walletPubkey: string,
  type = 'message',
): Promise<Answer<{ type: string; challenge?: string; transaction?: string } & Partial<Refused>>> {
  return request(`${service.url}${TRIGGER}/auth/challenge`, { body: { walletPubkey, type } });
}

/** The wallet's signature of a text, as the API takes it. */
export function signText(wallet: Keypair, text: string): string {
  return base58Encode(sign(wallet, new TextEncoder().encode(text)));
}

export function postVerify(service: Service, body: unknown): Promise<Answer<{ token: string } & Partial<Refused>>> {
  return request(`${service.url}${TRIGGER}/auth/verify`, { body });
}

/** Logs a wallet in; the token. */
export async function logIn(service: Service, wallet: Keypair, type: 'message' | 'transaction' = 'message') {
  const walletPubkey = wallet.address;
  const asked = (await challengeOf(service, walletPubkey, type)).body;
  const { status, body } = await postVerify(service, {
    type,
    walletPubkey,
    ...(type === 'message'
      ? { signature: signText(wallet, asked.challenge!) }
      : { signedTransaction: signTransaction(asked.transaction!, wallet) }),
  });
  if (status !== 200) throw new Error(`verify answered ${status}: ${JSON.stringify(body)}`);
  return body.token;
}

/** A request of a logged-in wallet. */
export function asWallet<T = Record<string, unknown>>(
  service: Service,
  token: string,
  path: string,
  options: { method?: string; body?: unknown } = {},
): Promise<Answer<T>> {
  return request<T>(`${service.url}${TRIGGER}${path}`, { ...options, headers: { authorization: `Bearer ${token}` } });
}
