import type { Address } from '@slipway/wire';
import type { Signer } from '../signer.js';
import { WALLET_ROLES, type WalletRole } from '../wallet-keys.js';

type Addresses = Readonly<Record<WalletRole, Address>>;

/** What the wallets of the service are shown with. */
export const addressesOf = (signer: Signer): Addresses => ({
  gas: signer.address('gas'),
  keeper: signer.address('keeper'),
  tracker: signer.address('tracker'),
});

export const linesOf = (addresses: Addresses): string[] =>
  WALLET_ROLES.map((role) => `${role.padEnd(8)} ${addresses[role]}`);
