import { type Address, addressFromBytes, METADATA_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from './accounts.js';
import { readTexts, type TokenText } from './mint-extensions.js';

const METADATA_V1 = 4;

/** Reads the account at `metadataAddress(mint)`; undefined if it is not metadata of the mint. */
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
