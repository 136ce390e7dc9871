export {
  generateKeypair,
  type Keypair,
  keypairFromSecret,
  keypairFromSeed,
  sign,
  verify,
  verifyBeside,
} from './ed25519.js';
export * from './formats.js';
export { invalidSigners } from './invalid-signers.js';
