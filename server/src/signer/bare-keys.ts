import type { Address } from '@slipway/wire';
import type { Role } from './roles.js';
import type { OwnWallets, WalletRole } from './wallet-keys.js';

/**
 * A key of the service by its name: a role, the key that a wallet of the service has had at an address, the vault of a
 * wallet, or the login, mint or launch key with that number.
 */
export type KeyName =
  | Role
  | `${WalletRole}:${Address}`
  | `vault:${Address}`
  | `login:${number}`
  | `mint:${number}`
  | `launch:${number}`;

/** Keys without policies. */
export interface BareKeys {
  /** The keys of the service's wallets, those from before included, as last known. Without it, each wallet has the key that it was given. */
  wallets?(): OwnWallets;
  /** The public key of any key. @throws RangeError for an invalid name. */
  publicKey(key: KeyName): Promise<Address>;
  /**
   * The ed25519 signature (64 bytes) of a key over a transaction message, by no policy: what the operator decides, and a
   * sandbox. @throws SignerRefused for logins and the seal
   */
  sign(key: KeyName, message: Uint8Array): Promise<Uint8Array>;
  /** Tries a key that could not be used a moment ago. @throws KeyManagementError while it still cannot */
  ready?(key: KeyName): Promise<void>;
}
