import { MANAGED_ROLES, type ManagedAddresses } from '../key-management.js';
import type { Signer } from '../signer.js';

/** What the wallets of the service are shown with. */
export const addressesOf = (signer: Signer): ManagedAddresses => ({
  gas: signer.address('gas'),
  keeper: signer.address('keeper'),
  tracker: signer.address('tracker'),
});

export const linesOf = (addresses: ManagedAddresses): string[] =>
  MANAGED_ROLES.map((role) => `${role.padEnd(8)} ${addresses[role]}`);
