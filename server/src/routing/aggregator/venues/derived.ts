import { type Address, findProgramAddress } from '@slipway/wire';
import { LRUCache } from 'lru-cache';

/** About 300 bytes each: those of some 20,000 pools. */
const MAX_DERIVED = 150_000;

/** Caches addresses that a program derives from seeds: deriving one takes as long as ten quotes. */
export function createDerivation(program: Address): (key: string, seeds: () => Uint8Array[]) => Address {
  // A cache takes its room when it is made, which costs a start some 50 ms for a venue that may have no pools.
  let known: LRUCache<string, Address> | undefined;
  return (key, seeds) => {
    known ??= new LRUCache({ max: MAX_DERIVED });
    let address = known.get(key);
    if (address === undefined) {
      address = findProgramAddress(seeds(), program).address;
      known.set(key, address);
    }
    return address;
  };
}
