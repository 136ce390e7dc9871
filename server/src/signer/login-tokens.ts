import { type Address, isAddress, verify } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import type { Signer } from './signer.js';

/** How long a login lasts. */
const LIFE_SECONDS = 24 * 60 * 60;
/** How long one key signs. A token's issue time determines its key, so a change of keys ends no login. */
const KEY_PERIOD_SECONDS = 7 * LIFE_SECONDS;
/** How far the clocks of two instances of the service may differ. */
const SKEW_SECONDS = 60;
const MAX_TOKEN_LENGTH = 1_000;

/** Issues and reads the tokens (JWT, EdDSA) of wallets that have logged in. */
export interface LoginTokens {
  /** A token for a wallet that has just proved its identity; begun after what was revoked, also within one second. */
  issue(wallet: Address): Promise<string>;
  /** The wallet that a token stands for; undefined if it is expired, altered, revoked or not ours. */
  walletOf(token: string): Promise<Address | undefined>;
}

interface Claims {
  sub: Address;
  walletPubkey: Address;
  iat: number;
  exp: number;
}

interface LoginTokensDeps {
  signer: Signer;
  clock: Clock;
  /** When the logins of a wallet were ended last, as of a moment ago or of now; undefined: never. */
  revokedAt: (wallet: Address, options?: { isFresh: boolean }) => Promise<Date | undefined>;
}

export function createLoginTokens({ signer, clock, revokedAt }: LoginTokensDeps): LoginTokens {
  /** The first second in which a login of the wallet may have begun. */
  const validFrom = async (wallet: Address, isFresh = false) => {
    const revoked = await revokedAt(wallet, { isFresh });
    return revoked === undefined ? 0 : Math.floor(revoked.getTime() / 1_000) + 1;
  };
  // At most a handful: only the key numbers of tokens that could still be valid are ever looked up.
  const publicKeys = new Map<number, Promise<Address>>();
  const publicKey = (number: number): Promise<Address> => {
    const known = publicKeys.get(number) ?? signer.publicKey(`login:${number}`);
    publicKeys.set(number, known);
    known.catch(() => publicKeys.delete(number));
    return known;
  };

  return {
    async issue(wallet) {
      const iat = Math.max(nowSeconds(clock), await validFrom(wallet, true));
      const number = keyNumber(iat);
      const claims: Claims = { sub: wallet, walletPubkey: wallet, iat, exp: iat + LIFE_SECONDS };
      const signed = `${headerOf(number)}.${encode(claims)}`;
      const signature = await signer.sign(`login:${number}`, Buffer.from(signed));
      return `${signed}.${Buffer.from(signature).toString('base64url')}`;
    },

    async walletOf(token) {
      const parts = token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
      const [header, payload, signature] = parts;
      if (parts.length !== 3 || !header || !payload || !signature) return undefined;
      const claims = readClaims(payload);
      const now = nowSeconds(clock);
      if (!claims || now >= claims.exp || claims.iat > now + SKEW_SECONDS) return undefined;
      const number = keyNumber(claims.iat);
      // Only our own header is accepted: nobody can choose another algorithm or key.
      if (header !== headerOf(number)) return undefined;
      const bytes = canonicalBytes(signature);
      const valid = bytes && verify(await publicKey(number), Buffer.from(`${header}.${payload}`), bytes);
      return valid && claims.iat >= (await validFrom(claims.sub)) ? claims.sub : undefined;
    },
  };
}

function nowSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1_000);
}

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
