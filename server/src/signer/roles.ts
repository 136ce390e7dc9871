import { type Keypair, keypairFromSeed } from '@slipway/wire';
import { deriveEd25519Seed } from './slip10.js';

/**
 * The keys of the service, each derived at m/44'/501'/<number>' from one seed. Never reuse a number for another role:
 * its address holds money.
 */
const roleNumbers = {
  /** Pays fees and rent for transactions that are gasless for the user. */
  gas: 0,
  /** The sandbox's market maker. */
  maker: 1,
  /** Trades for the service: in a sandbox it moves the pools to the prices that are set. */
  keeper: 2,
  /** Signs every deposit into a vault and every withdrawal, so that none lands without the service's knowledge. */
  tracker: 3,
  /** Seals the rows of the ledger, so that write access to the database is no power to sign. Its address holds nothing. */
  seal: 8,
} as const;

/** What a key of the service is for. */
export type Role = keyof typeof roleNumbers;
export const roles = Object.keys(roleNumbers) as Role[];

/** Where the key of a role is derived. */
export const rolePath = (role: Role): number[] => [44, 501, roleNumbers[role]];

/** The key of a role; of a wallet of the service, its first one. */
export function roleKeypair(seed: Uint8Array, role: Role): Keypair {
  const key = deriveEd25519Seed(seed, rolePath(role));
  const keypair = keypairFromSeed(key);
  key.fill(0);
  return keypair;
}
