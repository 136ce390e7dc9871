import type { Address } from '@slipway/wire';
import { type KeyManagement, MANAGED_ROLES, type ManagedAddresses, type ManagedRole } from '../key-management.js';
import { Token, type TokenOptions } from './token.js';
import { keyAfter, openSeedInToken, SEED_KEY, sealSeedInToken, seedKeyOf, TOKEN_FILE } from './token-seed.js';

/** The label of a key in the token. */
const labelOf = (role: ManagedRole): string => `slipway-${role}`;

/** A token as key management. @throws TokenError */
export function openTokenKeys(options: TokenOptions): KeyManagement {
  const token = Token.open(options);
  return {
    get name() {
      return token.name;
    },
    fileVersion: TOKEN_FILE,
    // To try its keys costs nothing.
    trialMs: 0,
    async addresses() {
      const found: [ManagedRole, Address][] = [];
      for (const role of MANAGED_ROLES) found.push([role, await token.publicKey(labelOf(role))]);
      return Object.fromEntries(found) as unknown as ManagedAddresses;
    },
    sign: (role, message) => token.sign(labelOf(role), message),
    async prepare() {
      for (const label of MANAGED_ROLES.map(labelOf)) if (!(await token.has(label))) await token.generateEd25519(label);
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
