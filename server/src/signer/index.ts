export { createPrivateFile, PrivateFileError, readOrCreateSecret, readPrivateFile } from './private-file.js';
export { type KeyName, openSigner, type Role, type Signer, type SignerOptions } from './signer.js';
