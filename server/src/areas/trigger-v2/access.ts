import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { Signer } from '../../signer/index.js';
import type { Store } from '../../store/sql.js';
import { findVault } from '../../store/vaults.js';

/** The vault of a wallet, worked out from the wallet alone: what the database says of it is never believed. */
export function vaultOf(signer: Pick<Signer, 'publicKey'>, wallet: Address): Promise<Address> {
  return signer.publicKey(`vault:${wallet}`);
}

/**
 * The vault of the calling wallet, after checking that the address in the body (`field`) is that wallet.
 * @throws AppError: 400 if the body names the vault itself, 403 if it names another wallet, `withoutVault` if there is
 * no vault.
 */
export async function requireOwnVault(
  { store, signer }: { store: Store; signer: Pick<Signer, 'publicKey'> },
  wallet: Address,
  asked: { field: string; value: string; withoutVault: 'FORBIDDEN' | 'INVALID_REQUEST' },
): Promise<Address> {
  const { field, value, withoutVault } = asked;
  const [registered, vault] = await Promise.all([findVault(store, wallet), vaultOf(signer, wallet)]);
  if (value === vault) {
    throw new AppError('INVALID_REQUEST', { message: `${field} must be the wallet, not its vault` });
  }
  if (value !== wallet) {
    throw new AppError('FORBIDDEN', { message: `Forbidden: ${field} must match authenticated user` });
  }
  if (!registered)
    throw new AppError(withoutVault, { message: 'No vault registered: call GET /trigger/v2/vault/register' });
  return vault;
}
