import { ADDRESS_LOOKUP_TABLE_PROGRAM, type Address, decodeLookupTable } from '@slipway/wire';
import type { ChainAccount } from '../chain/index.js';

const NOT_DEACTIVATED = 2n ** 64n - 1n;
/**
 * The chain takes addresses from the slot after they were added. After so many, every node knows them, and no fork can
 * take them back.
 */
const SETTLED_SLOTS = 32n;

/** What transactions may use of a lookup table at this slot; undefined for what is none, or has been deactivated. */
export function settledTable(
  account: Pick<ChainAccount, 'owner' | 'data'> | undefined,
  slot: bigint,
): { addresses: Address[]; isSettled: boolean } | undefined {
  const table = account?.owner === ADDRESS_LOOKUP_TABLE_PROGRAM ? decodeLookupTable(account.data) : undefined;
  if (table?.deactivationSlot !== NOT_DEACTIVATED) return undefined;
  const { addresses, lastExtendedSlot, lastExtendedFrom } = table;
  // A table of the chain's genesis was never extended.
  const isSettled = lastExtendedSlot === 0n || slot >= lastExtendedSlot + SETTLED_SLOTS;
  return { addresses: isSettled ? addresses : addresses.slice(0, lastExtendedFrom), isSettled };
}
