import { type Address, findProgramAddress } from '@slipway/wire';
import { GrowingCache } from '../../../lib/growing-cache.js';

/** About 300 bytes each: those of some 20,000 pools. */
const MAX_DERIVED = 150_000;

/** Caches addresses that a program derives from seeds: deriving one takes as long as ten quotes. */
export function createDerivation(program: Address): (key: string, seeds: () => Uint8Array[]) => Address {
  const known = new GrowingCache<string, Address>(MAX_DERIVED);
  return (key, seeds) => {
    let address = known.get(key);
    if (address === undefined) {
      address = findProgramAddress(seeds(), program).address;
      known.set(key, address);
    }
    return address;
  };
}
