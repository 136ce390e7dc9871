import type { Address } from '@slipway/wire';

/** How long a wallet has to sign a challenge. */
export const CHALLENGE_MS = 5 * 60_000;

/** What a login challenge says before the wallet, unless the operator says otherwise: a login elsewhere is none here. */
export function challengePrefixOf(publicUrl: string): string {
  return `Sign this message to authenticate with Slipway at ${new URL(publicUrl).host} that you are the owner of`;
}

/** What is particular to one challenge. */
export interface ChallengeFacts {
  wallet: Address;
  id: string;
  expiresAt: Date;
}

/** The text that a wallet signs to log in. */
export function challengeText(prefix: string, { wallet, id, expiresAt }: ChallengeFacts): string {
  return `${prefix} ${wallet}.\n\nThis challenge expires at ${expiresAt.toISOString()} with the nonce of ${id}.`;
}

/** When a challenge for this wallet expires; undefined for a text that is none, or one of another service. */
export function challengeExpiry(text: string, prefix: string, wallet: Address): Date | undefined {
  const [, time = '', id = ''] = /expires at (\S{24}) with the nonce of ([0-9a-f-]{36})\.$/.exec(text) ?? [];
  const expiresAt = new Date(time);
  if (Number.isNaN(expiresAt.getTime())) return undefined;
  // Read from the end, and right only if writing it gives the same.
  return text === challengeText(prefix, { wallet, id, expiresAt }) ? expiresAt : undefined;
}
