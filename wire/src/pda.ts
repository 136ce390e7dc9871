import { createCache, sha256 } from '#platform';
import { type Address, addressFromBytes, addressToBytes, writeAddress } from './address.js';
import { isOnCurve } from './curve.js';
import { ASSOCIATED_TOKEN_PROGRAM, METADATA_PROGRAM, TOKEN_PROGRAM } from './programs.js';

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');
const MAX_SEED_LENGTH = 32;
// The runtime allows 16, and the bump is one of them.
const MAX_SEEDS_BESIDE_BUMP = 15;

// A derivation costs two hashes and two curve tests on average; an entry takes about 300 bytes.
const associatedTokenAddresses = createCache<Address>(20_000);

/**
 * The program-derived address of the seeds with the highest bump that is off the curve.
 * Throws RangeError for more than 15 seeds or a seed longer than 32 bytes.
 */
export function findProgramAddress(seeds: Uint8Array[], program: Address): { address: Address; bump: number } {
  if (seeds.length > MAX_SEEDS_BESIDE_BUMP) throw new RangeError(`more than ${MAX_SEEDS_BESIDE_BUMP} seeds`);
  let seedBytes = 0;
  for (const seed of seeds) {
    if (seed.length > MAX_SEED_LENGTH) throw new RangeError(`a seed is longer than ${MAX_SEED_LENGTH} bytes`);
    seedBytes += seed.length;
  }
  const preimage = new Uint8Array(seedBytes + 1 + 32 + MARKER.length);
  let position = 0;
  for (const seed of seeds) {
    preimage.set(seed, position);
    position += seed.length;
  }
  writeAddress(program, preimage, seedBytes + 1);
  preimage.set(MARKER, seedBytes + 33);
  for (let bump = 255; bump >= 0; bump--) {
    preimage[seedBytes] = bump;
    const digest = sha256(preimage);
    if (!isOnCurve(digest)) return { address: addressFromBytes(digest), bump };
  }
  throw new RangeError('no bump gives an address off the curve');
}

/** The address that the system program's "with seed" instructions use. Throws RangeError for a seed over 32 bytes. */
export function createAddressWithSeed(base: Address, seed: string, owner: Address): Address {
  const seedBytes = new TextEncoder().encode(seed);
  if (seedBytes.length > MAX_SEED_LENGTH) throw new RangeError(`the seed is longer than ${MAX_SEED_LENGTH} bytes`);
  const preimage = new Uint8Array(64 + seedBytes.length);
  writeAddress(base, preimage, 0);
  preimage.set(seedBytes, 32);
  writeAddress(owner, preimage, 32 + seedBytes.length);
  return addressFromBytes(sha256(preimage));
}

/** The associated token account of a wallet for a mint. Recent answers are cached. */
export function associatedTokenAddress(owner: Address, mint: Address, tokenProgram: Address = TOKEN_PROGRAM): Address {
  const key = `${owner} ${mint} ${tokenProgram}`;
  const known = associatedTokenAddresses.get(key);
  if (known !== undefined) return known;
  const seeds = [addressToBytes(owner), addressToBytes(tokenProgram), addressToBytes(mint)];
  const { address } = findProgramAddress(seeds, ASSOCIATED_TOKEN_PROGRAM);
  associatedTokenAddresses.set(key, address);
  return address;
}

/** Where the metadata program keeps the name and symbol of a mint. */
export function metadataAddress(mint: Address): Address {
  const seeds = [new TextEncoder().encode('metadata'), addressToBytes(METADATA_PROGRAM), addressToBytes(mint)];
  return findProgramAddress(seeds, METADATA_PROGRAM).address;
}
