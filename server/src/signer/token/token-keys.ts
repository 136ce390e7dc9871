import type { KeyManagement } from '../key-management.js';
import { WALLET_ROLES, type WalletRole } from '../wallet-keys.js';
import { Token, type TokenOptions } from './token.js';
import { keyAfter, openSeedInToken, SEED_KEY, sealSeedInToken, seedKeyOf, TOKEN_FILE } from './token-seed.js';

/** The label of a key in the token: `slipway-gas`, and after the first exchange `slipway-gas-2`. */
const labelOf = (role: WalletRole, number: number): string => `slipway-${role}${number === 0 ? '' : `-${number + 1}`}`;

/** A token as key management. @throws TokenError */
export function openTokenKeys(options: TokenOptions): KeyManagement {
  const token = Token.open(options);
  const make = async (role: WalletRole, number: number) => {
    const label = labelOf(role, number);
    if (!(await token.has(label))) await token.generateEd25519(label);
  };
  return {
    get name() {
      return token.name;
    },
    fileVersion: TOKEN_FILE,
    // To try its keys costs nothing.
    trialMs: 0,
    // Whoever has destroyed a retired key must be able to start.
    async address(role, number, isNeeded) {
      const label = labelOf(role, number);
      return isNeeded || (await token.has(label)) ? token.publicKey(label) : undefined;
    },
    sign: (role, number, message) => token.sign(labelOf(role, number), message),
    make,
    async prepare() {
      for (const role of WALLET_ROLES) await make(role, 0);
      if (!(await token.has(SEED_KEY))) await token.generateAes(SEED_KEY);
    },
    sealSeed: (seed, key) => sealSeedInToken(seed, token, key),
    openSeed: ({ text, path }) => openSeedInToken(text, token, path),
    seedKeyOf,
    async keyAfter(old) {
      const key = keyAfter(old);
      // There is one already where an earlier attempt was killed.
      if (!(await token.has(key))) await token.generateAes(key);
      return key;
    },
  };
}
