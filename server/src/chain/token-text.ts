import { type Address, address, addressFromBytes, addressToBytes, findProgramAddress } from '@slipway/wire';
import type { ChainAccount } from './accounts.js';
import { readTexts, type TokenText } from './mint-extensions.js';

const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const METADATA_V1 = 4;

/** Where the metadata program keeps the name and symbol of a mint. */
export function metadataAddress(mint: Address): Address {
  const seeds = [Buffer.from('metadata'), addressToBytes(METADATA_PROGRAM), addressToBytes(mint)];
  return findProgramAddress(seeds, METADATA_PROGRAM).address;
}

/** What the account at `metadataAddress(mint)` says; undefined when it is no metadata of the mint's. */
export function readMetadata(account: ChainAccount | undefined, mint: Address): TokenText | undefined {
  if (account?.owner !== METADATA_PROGRAM || account.data.length < 65 || account.data[0] !== METADATA_V1)
    return undefined;
  if (addressFromBytes(account.data, 33) !== mint) return undefined;
  try {
    return readTexts(Buffer.from(account.data), 65);
  } catch {
    return undefined;
  }
}
