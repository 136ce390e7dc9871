export { newWalletSigner, openKeyFile, type WalletSigner } from './key-file.js';
export { createLoginTokens, type LoginTokens } from './login-tokens.js';
export { randomMintNumber } from './mint-search.js';
export { createPrivateFile, PrivateFileError, readOrCreateSecret, readPrivateFile } from './private-file.js';
export { createSecretBox, type SecretBox } from './secret-box.js';
export {
  type KeyName,
  type MintFinder,
  openSigner,
  type Role,
  type SecretKeeper,
  type Signer,
  type SignerOptions,
} from './signer.js';
export { newWebhookSecret, signWebhook } from './webhook-secrets.js';
