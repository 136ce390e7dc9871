import type { KeyName, Role } from '../signer/index.js';

/** A key that may sign an area's transactions: a role, the vault of the request's own wallet, or keys of launches. */
export type SigningKey = Exclude<Role, 'seal'> | 'vault' | 'mint' | 'launch';

/** A row asks for a key that its area never uses: nothing was signed. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

/**
 * The keys that a request names, if its area may use all of them. A vault is that of the request's wallet, which the
 * area has compared with who asks.
 * @throws KeyRefused
 */
export function keysOf(
  { id, area, wallet, cosigners }: { id: string; area: string; wallet: string; cosigners: readonly string[] },
  allowed: readonly SigningKey[] = [],
): KeyName[] {
  for (const name of cosigners) {
    const [kind, member, ...rest] = name.split(':');
    const isFamily = kind === 'vault' || kind === 'mint' || kind === 'launch';
    const isWellFormed = rest.length === 0 && isFamily === (member !== undefined);
    const isAllowed = isWellFormed && allowed.some((key) => key === kind) && (kind !== 'vault' || member === wallet);
    if (!isAllowed) throw new KeyRefused(`request ${id} (${area}) asks for the key ${name}, which its area never uses`);
  }
  return cosigners as KeyName[];
}
