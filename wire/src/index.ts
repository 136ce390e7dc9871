export { generateKeypair, type Keypair, keypairFromSecret, keypairFromSeed, sign, verify } from './ed25519.js';
export * from './formats.js';
export { invalidSigners } from './invalid-signers.js';
