import type { Address } from '@slipway/wire';
import type { Token } from './token.js';

/** The keys of the service that are made in a token and never leave it. */
export const TOKEN_ROLES = ['gas', 'keeper', 'tracker'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** The label of a key in the token. */
export const labelOf = (role: TokenRole): string => `slipway-${role}`;

export interface TokenWallets {
  addresses: Readonly<Record<TokenRole, Address>>;
  sign(role: TokenRole, message: Uint8Array): Promise<Uint8Array>;
}

/** @throws TokenError when a key is missing */
export async function openTokenWallets(token: Token): Promise<TokenWallets> {
  const found: [TokenRole, Address][] = [];
  for (const role of TOKEN_ROLES) found.push([role, await token.publicKey(labelOf(role))]);
  return {
    addresses: Object.fromEntries(found) as Record<TokenRole, Address>,
    sign: (role, message) => token.sign(labelOf(role), message),
  };
}
