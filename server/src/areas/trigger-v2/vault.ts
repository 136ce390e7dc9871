import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findVault, insertVault, type Vault } from '../../store/vaults.js';
import { vaultOf } from './access.js';
import { type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { VaultAnswer } from './schema.js';

export function registerShowVault(app: TypedServer, deps: TriggerV2Deps): void {
  app.get(
    '/trigger/v2/vault',
    {
      config: { ...walletRoute, errors: { 404: 'Vault not found: GET /trigger/v2/vault/register first' } },
      schema: {
        tags,
        summary: 'The vault of the wallet',
        description: "The account that holds the deposits of the wallet's orders.",
        response: { 200: VaultAnswer },
      },
    },
    ({ wallet }) => showVault(deps, wallet),
  );
}

export function registerRegisterVault(app: TypedServer, deps: TriggerV2Deps): void {
  app.get(
    '/trigger/v2/vault/register',
    {
      config: { ...walletRoute, errors: { 409: 'Vault already registered; it stands in `details`' } },
      schema: {
        tags,
        summary: 'Make the vault of the wallet',
        description: 'Once for each wallet.',
        response: { 200: VaultAnswer },
      },
    },
    ({ wallet }) => registerVault(deps, wallet),
  );
}

/** The vault of the logged-in wallet. */
export async function showVault({ store, signer }: TriggerV2Deps, wallet: Address): Promise<VaultAnswer> {
  const vault = await findVault(store, wallet);
  if (!vault) {
    throw new AppError('NOT_FOUND', {
      message: 'Vault not found',
      details: { vault: 'make it first: GET /trigger/v2/vault/register' },
    });
  }
  return answer(vault, await vaultOf(signer, wallet));
}

/** Creates the vault of the logged-in wallet: its only one, for good. */
export async function registerVault({ store, signer, clock }: TriggerV2Deps, wallet: Address): Promise<VaultAnswer> {
  const address = await vaultOf(signer, wallet);
  const vault: Vault = {
    wallet,
    id: vaultId(uuidv7(clock)),
    address,
    createdAt: new Date(clock.now()),
  };
  const registered = await store.single((tx) => insertVault(tx, vault));
  if (registered) return answer(registered, address);
  const existing = await findVault(store, wallet);
  throw new AppError('CONFLICT', {
    message: 'Vault already registered',
    ...(existing && { details: { ...answer(existing, address) } }),
  });
}

/** 26 lower-case letters and digits. */
function vaultId(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(32)
    .padStart(26, '0');
}

function answer({ wallet, id }: Vault, address: Address): VaultAnswer {
  return { userPubkey: wallet, vaultPubkey: address, privyVaultId: id };
}
