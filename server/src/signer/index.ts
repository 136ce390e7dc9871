export type { KeyName } from './bare-keys.js';
export { CHALLENGE_MS, challengePrefixOf, challengeText } from './challenge.js';
export { type Cosigned, type CosignRequest, SANDBOX_PROGRAMS } from './cosign.js';
export { type GuardedKeys, guardKeys, type SealRequest, type ServiceWords, sealedRow } from './guarded-keys.js';
export { newWalletSigner, openKeyFile, type WalletSigner } from './key-file.js';
export { createLoginTokens, type LoginTokens } from './login-tokens.js';
export { isFullySigned, type LoginTransaction, readLoginTransaction } from './login-transaction.js';
export { LossLimits } from './loss-limits.js';
export { randomMintNumber } from './mint-search.js';
export { orderAccount, orderAccounts, orderSeed } from './order-accounts.js';
export { bytesOfOrder, type SealedOrder } from './order-seal.js';
export {
  CONSENT_MS,
  type Consent,
  countedRents,
  type KnownPrograms,
  type LoginProof,
  SignerHolds,
  SignerRefused,
  termsThatWiden,
  wideningText,
} from './policies/index.js';
export { createPrivateFile, PrivateFileError, readOrCreateSecret, readPrivateFile } from './private-file.js';
export { createSecretBox, type SecretBox } from './secret-box.js';
export { type MovedOrder, openSeedMigration, type SeedMigration } from './seed-migration.js';
export {
  type MintFinder,
  openSigner,
  type Role,
  type SecretKeeper,
  type Signer,
  type SignerHealth,
  type SignerOptions,
  type WalletRotation,
} from './signer.js';
export { connectSigner, type RemoteSigner } from './socket/client.js';
export { endpointOf, type SignerAddress } from './socket/endpoint.js';
export type { KeyPort } from './socket/protocol.js';
export {
  addressesOf,
  firstWallets,
  gasWallets,
  isWalletRole,
  type OwnWallets,
  ROTATION_STEPS,
  type RotationStep,
  usableAddresses,
  WALLET_ROLES,
  type WalletKeys,
  type WalletRole,
} from './wallet-keys.js';
export { watchWallets } from './watch-wallets.js';
export { newWebhookSecret, signWebhook } from './webhook-secrets.js';
