import { type Address, isAddress, verify } from '@slipway/wire';

/** How long a login lasts. */
const LIFE_SECONDS = 24 * 60 * 60;
/** How long one key signs. A token's issue time determines its key, so a change of keys ends no login. */
const KEY_PERIOD_SECONDS = 7 * LIFE_SECONDS;
/** How far the clocks of two processes of the service may differ. */
export const SKEW_SECONDS = 60;
const MAX_TOKEN_LENGTH = 1_000;

/** The name of a key that signs logins. */
export type LoginKey = `login:${number}`;

/** Whom a login stands for, and when it was begun, in Unix seconds. */
export interface Login {
  wallet: Address;
  begunAt: number;
}

interface Claims {
  sub: Address;
  walletPubkey: Address;
  iat: number;
  exp: number;
}

/** The token (JWT, EdDSA) of a login. */
export async function writeLogin(
  { wallet, begunAt: iat }: Login,
  sign: (key: LoginKey, message: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  const number = keyNumber(iat);
  const claims: Claims = { sub: wallet, walletPubkey: wallet, iat, exp: iat + LIFE_SECONDS };
  const signed = `${headerOf(number)}.${encode(claims)}`;
  const signature = await sign(`login:${number}`, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/**
 * The login that a token stands for at a time, in Unix milliseconds; undefined if it is expired, altered or not ours.
 * @param graceSeconds how much longer than its life it is taken
 */
export async function readLogin(
  token: string,
  now: number,
  publicKey: (key: LoginKey) => Promise<Address>,
  graceSeconds = 0,
): Promise<Login | undefined> {
  const parts = token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return undefined;
  const claims = readClaims(payload);
  const seconds = secondsOf(now);
  if (!claims || seconds >= claims.exp + graceSeconds || claims.iat > seconds + SKEW_SECONDS) return undefined;
  const number = keyNumber(claims.iat);
  // Only our own header is accepted: nobody can choose another algorithm or key.
  if (header !== headerOf(number)) return undefined;
  const bytes = canonicalBytes(signature);
  const isOurs = bytes && verify(await publicKey(`login:${number}`), Buffer.from(`${header}.${payload}`), bytes);
  return isOurs ? { wallet: claims.sub, begunAt: claims.iat } : undefined;
}

export const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

function keyNumber(issuedAt: number): number {
  return Math.floor(issuedAt / KEY_PERIOD_SECONDS);
}

function headerOf(number: number): string {
  return encode({ alg: 'EdDSA', typ: 'JWT', kid: String(number) });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readClaims(payload: string): Claims | undefined {
  const text = canonicalBytes(payload)?.toString('utf8');
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { sub, walletPubkey, iat, exp } = value as Record<string, unknown>;
  if (typeof sub !== 'string' || !isAddress(sub) || walletPubkey !== sub) return undefined;
  if (!Number.isSafeInteger(iat) || (iat as number) < 0 || exp !== (iat as number) + LIFE_SECONDS) return undefined;
  return { sub, walletPubkey: sub, iat: iat as number, exp };
}

/** The bytes of base64url text, if it is written in the one way that we write it. */
function canonicalBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
